import fc from "fast-check";

/** One edit of a small mesh: an object to write, or to take away. */
export interface Edit {
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
const gateway = fc.constantFrom("a/x", "b/y", "mesh");

const endpoint = fc.record({
  address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3"),
  labels: version.map((value) => ({ version: value })),
  weight: fc.integer({ min: 0, max: 2 }),
  serviceAccount: fc.constantFrom("", "one", "two"),
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

const rule = fc.record({
  host: fc.oneof(hostname, fc.constantFrom("*.a.svc.cluster.local", "*.local")),
  exportTo,
  trafficPolicy: fc.record(
    {
      loadBalancer: fc.constantFrom("RANDOM", "PASSTHROUGH").map((simple) => ({ simple })),
      tls: fc.constantFrom("DISABLE", "SIMPLE", "ISTIO_MUTUAL").map((mode) => ({ mode })),
    },
    { requiredKeys: ["loadBalancer"] },
  ),
  subsets: fc.uniqueArray(
    version.map((value) => ({ name: value, labels: { version: value } })),
    { selector: ({ name }) => name },
  ),
});

const sourced = fc.constantFrom({}, { sourceLabels: { app: "x" } }, { sourceNamespace: "b" }, { port: 80 });

/** What becomes of requests beside being sent on. */
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

const virtualService = fc.record({
  hosts: fc.oneof(publicHosts, fc.uniqueArray(hostname, { minLength: 1, maxLength: 2 }), fc.constant(["*.local"])),
  gateways: fc.uniqueArray(gateway, { minLength: 1, maxLength: 2 }),
  exportTo,
  http: fc
    .record({ host: hostname, prefix: fc.constantFrom("/", "/a", "/b"), source: sourced, more: beside })
    .map(({ host, prefix, source, more }) => [
      { match: [{ uri: { prefix }, ...source }], route: [{ destination: { host } }], ...more },
    ]),
  tcp: fc
    .option(fc.record({ host: hostname, port: fc.constantFrom(82, 83) }))
    .map((route) =>
      route === null
        ? []
        : [{ match: [{ port: route.port }], route: [{ destination: { host: route.host, port: { number: 82 } } }] }],
    ),
});

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

const gatewaySpec = fc.record({
  selector: fc.constantFrom({ app: "edge" }, { app: "other" }),
  servers: fc
    .record({
      number: fc.constantFrom(8080, 8081),
      hosts: publicHosts,
      tls: fc.boolean(),
    })
    .map(({ number, hosts, tls }) => [
      { port: { number, name: "http", protocol: "HTTP" }, hosts, ...(tls ? { tls: { httpsRedirect: true } } : {}) },
    ]),
});

function edits(kind: string, spec: fc.Arbitrary<object>): fc.Arbitrary<Edit> {
  return fc.record({
    kind: fc.constant(kind),
    namespace: namespaces,
    name: names,
    spec: fc.option(spec, { nil: undefined, freq: 3 }),
  });
}

/** Batches of edits: each is applied, and pushed, as one. */
export const meshEdits: fc.Arbitrary<readonly (readonly Edit[])[]> = fc.array(
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: edits("ServiceEntry", service) },
      { weight: 2, arbitrary: edits("WorkloadEntry", workload) },
      { weight: 3, arbitrary: edits("DestinationRule", rule) },
      { weight: 2, arbitrary: edits("VirtualService", virtualService) },
      { weight: 2, arbitrary: edits("Gateway", gatewaySpec) },
      { weight: 2, arbitrary: edits("Sidecar", sidecar) },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 2, maxLength: 12 },
);
