import fc from "fast-check";

/** One edit of a small mesh: an object to write or to delete. */
export interface Edit {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined deletes. */
  readonly spec: object | undefined;
}

const namespaces = fc.constantFrom("a", "b", "istio-system");
const names = fc.constantFrom("x", "y");
const hostname = fc.constantFrom("one.a.svc.cluster.local", "two.a.svc.cluster.local", "three.b.svc.cluster.local");
const version = fc.constantFrom("v1", "v2");
const exportTo = fc.constantFrom<readonly string[]>([], ["*"], ["."], ["a"], ["b", "istio-system"]);
const publicHosts = fc.constantFrom(["shop.example.com"], ["shop.example.com", "pay.example.com"], ["*.example.com"]);
/** The possible gateways, to which virtual services may bind. */
const gatewayNames = fc.constantFrom({ namespace: "a", name: "x" }, { namespace: "b", name: "y" });
const gateway = fc.oneof(
  gatewayNames.map(({ namespace, name }) => `${namespace}/${name}`),
  fc.constant("mesh"),
);

const endpoint = fc.record({
  address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.9"),
  labels: version.map((value) => ({ version: value })),
  weight: fc.integer({ min: 0, max: 2 }),
  serviceAccount: fc.constantFrom("", "one", "two"),
  locality: fc.constantFrom("", "eu/a", "eu/b/1", "us/c"),
  network: fc.constantFrom("", "", "north", "south"),
});

const port = fc.constantFrom(
  { number: 80, name: "http", protocol: "HTTP" },
  { number: 81, name: "grpc", protocol: "GRPC", targetPort: 8081 },
  { number: 82, name: "tcp", protocol: "TCP" },
  { number: 83, name: "tls", protocol: "TLS" },
  { number: 84, name: "any", protocol: "" },
);

const service = fc
  .record({
    hosts: fc.uniqueArray(hostname, { minLength: 1, maxLength: 2 }),
    ports: fc.uniqueArray(port, { minLength: 1, selector: ({ number }) => number }),
    addresses: fc.constantFrom<readonly string[]>([], ["10.9.0.1"], ["10.9.0.2", "10.9.0.3"], ["10.9.1.0/24"]),
    resolution: fc.constantFrom("STATIC", "STATIC", "DNS", "NONE"),
    location: fc.constantFrom("MESH_INTERNAL", "MESH_EXTERNAL"),
    exportTo,
    endpoints: fc.array(endpoint, { maxLength: 3 }),
    selecting: fc.boolean(),
  })
  .map(({ endpoints, selecting, ...spec }) =>
    selecting ? { ...spec, workloadSelector: { labels: { app: "x" } } } : { ...spec, endpoints },
  );

const workload = fc.record({
  address: fc.constantFrom("10.1.0.1", "10.1.0.2"),
  labels: fc.record({ app: fc.constantFrom("x", "y"), version }),
});

const rule = fc.record(
  {
    host: fc.oneof(hostname, fc.constantFrom("*.a.svc.cluster.local", "*.local")),
    exportTo,
    workloadSelector: fc.constantFrom("x", "y").map((app) => ({ matchLabels: { app } })),
    trafficPolicy: fc.record(
      {
        loadBalancer: fc.constantFrom<object>(
          { simple: "RANDOM" },
          { simple: "PASSTHROUGH" },
          { consistentHash: { httpHeaderName: "x-user" } },
          { consistentHash: { httpCookie: { name: "session", ttl: "60s" } } },
          { simple: "ROUND_ROBIN", localityLbSetting: { enabled: false } },
          { localityLbSetting: { failover: [{ from: "eu", to: "us" }] } },
          { localityLbSetting: { failoverPriority: ["topology.istio.io/network", "version", "app=x"] } },
          { localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] } },
        ),
        tls: fc.constantFrom("DISABLE", "SIMPLE", "ISTIO_MUTUAL").map((mode) => ({ mode })),
        outlierDetection: fc.constant({ consecutive5xxErrors: 5 }),
        proxyProtocol: fc.constantFrom("V1", "V2").map((protocol) => ({ version: protocol })),
      },
      { requiredKeys: ["loadBalancer"] },
    ),
    subsets: fc.uniqueArray(
      fc.record({ name: version, hashed: fc.boolean() }).map(({ name, hashed }) => ({
        name,
        labels: { version: name },
        ...(hashed && { trafficPolicy: { loadBalancer: { consistentHash: { useSourceIp: true } } } }),
      })),
      { selector: ({ name }) => name },
    ),
  },
  { requiredKeys: ["host", "exportTo", "trafficPolicy", "subsets"] },
);

const sourced = fc.constantFrom({}, { sourceLabels: { app: "x" } }, { sourceNamespace: "b" }, { port: 80 });

/** Actions on requests beside forwarding. */
const beside = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: hostname.map((host) => ({ mirror: { host } })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>(
      { fault: { abort: { httpStatus: 418, percentage: { value: 50 } } } },
      { corsPolicy: { allowOrigins: [{ exact: "https://example.com" }], maxAge: "60s" } },
    ),
  },
);

/** The requests that a route matches. */
const matched = fc
  .record({ prefix: fc.constantFrom("/", "/a", "/b"), source: sourced })
  .map(({ prefix, source }) => ({ uri: { prefix }, ...source }));

/** The destination of requests: a service, a subset, or a delegate. */
const led = fc.oneof(
  { weight: 3, arbitrary: fc.record({ host: hostname }).map((destination) => ({ route: [{ destination }] })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ host: hostname, subset: version })
      .map((destination) => ({ route: [{ destination: { ...destination, port: { number: 80 } } }] })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a", "b").map((namespace) => ({ delegate: { name: "delegate", namespace } })),
  },
);

const connectionPort = fc.constantFrom(82, 83);

/** Routes for connections: TCP of any kind, and TLS passthrough by SNI. */
const connections = fc.record({ to: hostname, port: connectionPort, kind: fc.constantFrom("none", "tcp", "tls") });

const virtualService = fc
  .record({
    hosts: fc.oneof(publicHosts, fc.uniqueArray(hostname, { minLength: 1, maxLength: 2 }), fc.constant(["*.local"])),
    gateways: fc.uniqueArray(gateway, { minLength: 1, maxLength: 2 }),
    exportTo,
    http: fc
      .record({ match: matched, to: led, more: beside })
      .map(({ match, to, more }) => [{ match: [match], ...to, ...more }]),
    connections,
  })
  .map(({ connections: { to, port: number, kind }, ...spec }) => {
    const route = [{ destination: { host: to, port: { number: 82 } } }];
    if (kind === "tcp") return { ...spec, tcp: [{ match: [{ port: number }], route }] };
    return kind === "tls" ? { ...spec, tls: [{ match: [{ port: number, sniHosts: spec.hosts }], route }] } : spec;
  });

const delegate = fc.record({
  exportTo,
  http: fc
    .record({ match: fc.option(matched), host: hostname, more: beside })
    .map(({ match, host, more }) => [
      { ...(match !== null && { match: [match] }), route: [{ destination: { host } }], ...more },
    ]),
});
const delegateNames = fc.constantFrom("a", "b").map((namespace) => ({ namespace, name: "delegate" }));

const imported = fc.constantFrom("*/*", "./*", "a/*", "b/*", "*/one.a.svc.cluster.local", "a/*.a.svc.cluster.local");
const ingress = fc.constantFrom(
  { port: { number: 80, protocol: "HTTP", name: "http" }, defaultEndpoint: "127.0.0.1:8080" },
  { port: { number: 9000, protocol: "TCP", name: "tcp" }, bind: "127.0.0.1", defaultEndpoint: "127.0.0.1:9001" },
);
const egressPort = fc.constantFrom(
  { number: 80, protocol: "HTTP", name: "http" },
  { number: 82, protocol: "TCP", name: "tcp" },
);

const sidecar = fc
  .record({
    selecting: fc.boolean(),
    egress: fc.uniqueArray(imported, { minLength: 1, maxLength: 2 }),
    port: fc.option(egressPort),
    ingress: fc.option(ingress),
    mode: fc.constantFrom("ALLOW_ANY", "REGISTRY_ONLY"),
  })
  .map(({ selecting, egress: hosts, port: listener, ingress: inbound, mode }) => ({
    ...(selecting && { workloadSelector: { labels: { app: "x" } } }),
    egress: [...(listener === null ? [] : [{ port: listener, hosts }]), { hosts }],
    ...(inbound !== null && { ingress: [inbound] }),
    outboundTrafficPolicy: { mode },
  }));

const files = { serverCertificate: "/certs/tls.crt", privateKey: "/certs/tls.key" };
const serverTls = fc.constantFrom<object>(
  { mode: "SIMPLE", ...files },
  { mode: "MUTUAL", ...files, caCertificates: "/certs/ca.crt" },
  { mode: "SIMPLE", credentialName: "shop-cert" },
  { mode: "MUTUAL", credentialName: "kubernetes-gateway://a/shop-cert" },
  { mode: "ISTIO_MUTUAL" },
);

/** Servers of every class. Some use the port of another, or of a service that routes to another. */
const gatewayServer = fc.oneof(
  fc
    .record({ number: fc.constantFrom(8080, 8081, 81), hosts: publicHosts, redirects: fc.boolean() })
    .map(({ number, hosts, redirects }) => ({
      port: { number, name: `http-${number}`, protocol: "HTTP" },
      hosts,
      ...(redirects && { tls: { httpsRedirect: true } }),
    })),
  fc
    .record({ protocol: fc.constantFrom("HTTPS", "TLS"), hosts: publicHosts, tls: serverTls })
    .map(({ protocol, hosts, tls }) => ({ port: { number: 83, name: protocol, protocol }, hosts, tls })),
  fc.constantFrom<object>(
    { port: { number: 83, name: "pass", protocol: "TLS" }, hosts: ["*"], tls: { mode: "PASSTHROUGH" } },
    { port: { number: 15443, name: "auto", protocol: "TLS" }, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } },
    { port: { number: 82, name: "tcp", protocol: "TCP" }, hosts: ["*"] },
  ),
);

const gatewaySpec = fc.record({
  selector: fc.constantFrom({ app: "edge" }, { app: "edge" }, { app: "other" }),
  servers: fc.array(gatewayServer, { minLength: 1, maxLength: 3 }),
});

const mtlsMode = fc.constantFrom("UNSET", "DISABLE", "PERMISSIVE", "STRICT").map((mode) => ({ mode }));

/** Policies of every level. Port settings only with a selector. */
const peerAuthentication = fc
  .record({ mtls: mtlsMode, selecting: fc.boolean(), port: fc.constantFrom(80, 8081, 9000, 9999), own: mtlsMode })
  .map(({ mtls, selecting, port: number, own }) =>
    selecting ? { mtls, selector: { matchLabels: { app: "x" } }, portLevelMtls: { [number]: own } } : { mtls },
  );

const anyName: fc.Arbitrary<Pick<Edit, "namespace" | "name">> = fc.record({ namespace: namespaces, name: names });

function edits(kind: string, spec: fc.Arbitrary<object>, called = anyName): fc.Arbitrary<Edit> {
  const apiVersion = kind === "PeerAuthentication" ? "security.istio.io/v1" : "networking.istio.io/v1";
  return fc
    .record({ called, spec: fc.option(spec, { nil: undefined, freq: 3 }) })
    .map(({ called: { namespace, name }, spec: written }) => ({ apiVersion, kind, namespace, name, spec: written }));
}

/** One edit, of any kind. */
export const meshEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: edits("ServiceEntry", service) },
  { weight: 2, arbitrary: edits("WorkloadEntry", workload) },
  { weight: 3, arbitrary: edits("DestinationRule", rule) },
  { weight: 2, arbitrary: edits("VirtualService", virtualService) },
  { weight: 1, arbitrary: edits("VirtualService", delegate, delegateNames) },
  { weight: 2, arbitrary: edits("Gateway", gatewaySpec, gatewayNames) },
  { weight: 2, arbitrary: edits("Sidecar", sidecar) },
  { weight: 1, arbitrary: edits("PeerAuthentication", peerAuthentication) },
);

/** Batches of edits. Each batch is applied and pushed as one. */
export const meshEdits: fc.Arbitrary<readonly (readonly Edit[])[]> = fc.array(
  fc.array(meshEdit, { minLength: 1, maxLength: 4 }),
  { minLength: 2, maxLength: 12 },
);

/** The networks of the mesh, as in its file: their gateways, and the endpoints in each. */
export const meshNetworks: fc.Arbitrary<object> = fc.constantFrom(
  { networks: {} },
  { networks: { north: { gateways: [{ address: "192.0.2.1", port: 15443 }] } } },
  {
    networks: {
      north: { endpoints: [{ fromCidr: "10.0.0.0/30" }], gateways: [{ address: "192.0.2.1", port: 15443 }] },
      south: {
        endpoints: [{ fromCidr: "10.1.0.0/16" }],
        gateways: [
          { address: "192.0.2.2", port: 15443 },
          { address: "192.0.2.3", port: 15443 },
        ],
      },
    },
  },
);
