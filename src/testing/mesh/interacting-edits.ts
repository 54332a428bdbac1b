import fc from "fast-check";
import { authorizationPolicy, authorizer } from "./authorization-edits.ts";
import { clusterObject } from "./cluster-edits.ts";
import { coreEdit, coreObjects } from "./core-edits.ts";
import { extensionEdit, plugin } from "./extension-edits.ts";
import { envoyFilter } from "./envoy-filter-edits.ts";
import { credentialObject, credentialTls } from "./credential-edits.ts";
import {
  headlessService,
  headlessSlice,
  kubernetesService,
  machine,
  namespaceObject,
  pod,
  slice,
} from "./interacting-cluster.ts";
import { legacyEdit, legacyObject } from "./legacy-edits.ts";
import { meshEdit, meshNetworks } from "./mesh-edits.ts";
import { telemetryProviders } from "./telemetry-edits.ts";
import type { ObjectEdit, WrittenObject } from "./written-objects.ts";

/** One host is named by services, rules, routes and Sidecars alike, so that each comes and goes under the others. */
const host = fc.constantFrom(
  "one.a.svc.cluster.local",
  "one.a.svc.cluster.local",
  "two.a.svc.cluster.local",
  "two.a.svc.cluster.local",
  "three.b.svc.cluster.local",
);
const ruledHost = fc.oneof(
  { weight: 4, arbitrary: host },
  { weight: 1, arbitrary: fc.constantFrom("*.a.svc.cluster.local", "*.local", "*") },
);
/** Mostly one namespace, and mostly visible: objects that do not see each other do not meet. */
const namespace = fc.oneof(
  { weight: 6, arbitrary: fc.constant("a") },
  { weight: 1, arbitrary: fc.constantFrom("b", "istio-system") },
);
const portNumber = fc.constantFrom(80, 80, 80, 81, 82);
const exportTo = fc.oneof(
  { weight: 5, arbitrary: fc.constant<readonly string[]>([]) },
  { weight: 2, arbitrary: fc.constantFrom<readonly string[]>(["*"], ["."], ["a"], ["b"]) },
);

function istio(kind: string, called: fc.Arbitrary<string>, spec: fc.Arbitrary<object>): fc.Arbitrary<WrittenObject> {
  const apiVersion = kind === "PeerAuthentication" ? "security.istio.io/v1" : "networking.istio.io/v1";
  return fc
    .record({ namespace, name: called, spec })
    .map(({ spec: written, ...metadata }) => ({ apiVersion, kind, metadata, spec: written }));
}

const protocol = fc.constantFrom("HTTP", "HTTP", "GRPC", "TCP", "TLS", "");
const ports = fc.uniqueArray(
  fc
    .record({ number: portNumber, spoken: protocol, targetPort: fc.constantFrom(8080, 9000, 82) })
    .map(({ number, spoken, targetPort }) => ({
      number,
      name: `p${number}`,
      // One port for connections, so that their routes find it.
      protocol: number === 82 ? "TCP" : spoken,
      targetPort,
    })),
  { minLength: 1, maxLength: 2, selector: ({ number }) => number },
);
const endpoint = fc.record({
  address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.9", "10.0.7.1"),
  labels: fc.constantFrom({ version: "v1", "security.istio.io/tlsMode": "istio" }, { version: "v2" }),
  locality: fc.constantFrom("", "", "eu/a", "us/c"),
  network: fc.constantFrom("", "", "", "north"),
  serviceAccount: fc.constantFrom("", "", "one"),
});

/** A service of one host: changes of its owner, its visibility, its ports and its resolution, one at a time. */
const service = istio(
  "ServiceEntry",
  fc.constantFrom("one", "two"),
  fc.record({
    hosts: host.map((each) => [each]),
    ports,
    addresses: fc.constantFrom<readonly string[]>([], ["10.9.0.1"], ["10.9.0.2", "fd00:9::1"]),
    resolution: fc.constantFrom("STATIC", "STATIC", "DNS", "NONE"),
    location: fc.constantFrom("MESH_INTERNAL", "MESH_INTERNAL", "MESH_EXTERNAL"),
    exportTo,
    endpoints: fc.array(endpoint, { maxLength: 2 }),
  }),
);

/** A service whose workloads stand for themselves. */
const selectingService = service.chain((object) =>
  fc.constantFrom("x", "y").map((app) => {
    const { endpoints: _, ...spec } = object.spec as { readonly endpoints: unknown };
    return { ...object, spec: { ...spec, workloadSelector: { labels: { app } } } };
  }),
);
const workload = istio(
  "WorkloadEntry",
  fc.constantFrom("one", "two"),
  fc.record({
    address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.7.1", "fd00::1"),
    labels: fc.record({ app: fc.constantFrom("x", "x", "y"), version: fc.constantFrom("v1", "v2") }),
    ports: fc.constantFrom<object>({}, {}, { p80: 7000 }, { "http-80": 7001 }),
    network: fc.constantFrom("", "", "north"),
    serviceAccount: fc.constantFrom("", "one", "one"),
  }),
);

const hash = fc.constantFrom<object>(
  { consistentHash: { httpHeaderName: "x-user" } },
  { consistentHash: { httpHeaderName: "x-other" } },
  { consistentHash: { useSourceIp: true } },
  { simple: "RANDOM" },
);
/** Of clusters and endpoints alone. */
const treatment = fc.constantFrom<object>(
  {},
  {},
  {},
  { tls: { mode: "ISTIO_MUTUAL" } },
  { tls: { mode: "DISABLE" } },
  { connectionPool: { tcp: { maxConnections: 7 } } },
  { loadBalancer: { localityLbSetting: { failoverPriority: ["version"] } }, outlierDetection: {} },
);
const policy = fc
  .record({
    whole: fc.option(hash),
    port: fc.option(fc.record({ number: portNumber, loadBalancer: hash })),
    treated: treatment,
  })
  .map(({ whole, port, treated }) => ({
    ...treated,
    ...(whole !== null && { loadBalancer: whole }),
    ...(port !== null && { portLevelSettings: [{ port: { number: port.number }, loadBalancer: port.loadBalancer }] }),
  }));

/** Hashes at every level. */
const rule = istio(
  "DestinationRule",
  fc.constantFrom("one", "two"),
  fc
    .record({ host: ruledHost, exportTo, whole: policy, subset: fc.option(policy), selecting: fc.nat(4) })
    .map(({ whole, subset, selecting, ...spec }) => ({
      ...spec,
      trafficPolicy: whole,
      ...(subset !== null && { subsets: [{ name: "v1", labels: { version: "v1" }, trafficPolicy: subset }] }),
      ...(selecting === 0 && { workloadSelector: { matchLabels: { app: "x" } } }),
    })),
);

const destination = fc.record(
  { host, subset: fc.constant("v1"), port: portNumber.map((number) => ({ number })) },
  { requiredKeys: ["host"] },
);
const forward = fc.record({ destination }).map((each) => ({ route: [each] }));
const delegating = namespace.map((each) => ({ delegate: { name: "delegate", namespace: each } }));
const gateways = fc.constantFrom(["mesh"], ["a/x"], ["a/x", "mesh"], ["a/x", "mesh"]);

/** Routes from one host to another, directly or by a delegate. */
const routes = istio(
  "VirtualService",
  fc.constantFrom("one", "two"),
  fc.record({
    hosts: ruledHost.map((each) => [each]),
    gateways,
    exportTo,
    http: fc.array(fc.oneof({ weight: 3, arbitrary: forward }, { weight: 1, arbitrary: delegating }), {
      minLength: 1,
      maxLength: 1,
    }),
    tcp: fc.option(
      fc
        .record({ host })
        .map((to) => [{ match: [{ port: 82 }], route: [{ destination: { ...to, port: { number: 82 } } }] }]),
      { nil: [], freq: 1 },
    ),
  }),
);
const delegate = istio(
  "VirtualService",
  fc.constant("delegate"),
  fc.record({ exportTo, http: forward.map((each) => [each]) }),
);

/** A gateway for requests, connections, and TLS that is passed on as it comes. */
const gateway = fc
  .uniqueArray(
    fc.constantFrom<{
      readonly port: { readonly number: number; readonly name: string; readonly protocol: string };
      readonly [field: string]: unknown;
    }>(
      { port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] },
      { port: { number: 8081, name: "more", protocol: "HTTP" }, hosts: ["*.a.svc.cluster.local"] },
      { port: { number: 8443, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls: credentialTls[0] },
      { port: { number: 8444, name: "mutual", protocol: "HTTPS" }, hosts: ["*"], tls: credentialTls[1] },
      { port: { number: 82, name: "tcp", protocol: "TCP" }, hosts: ["*"] },
      { port: { number: 15443, name: "auto", protocol: "TLS" }, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } },
    ),
    { minLength: 1, maxLength: 4, selector: ({ port }) => port.number },
  )
  .map((servers): WrittenObject => {
    const metadata = { namespace: "a", name: "x" };
    return {
      apiVersion: "networking.istio.io/v1",
      kind: "Gateway",
      metadata,
      spec: { selector: { app: "edge" }, servers },
    };
  });

const mtls = fc.constantFrom("DISABLE", "PERMISSIVE", "STRICT").map((mode) => ({ mode }));
const peerAuthentication = istio(
  "PeerAuthentication",
  fc.constant("default"),
  fc
    .record({ mtls, own: fc.option(mtls) })
    .map((each) =>
      each.own === null
        ? { mtls: each.mtls }
        : { mtls: each.mtls, selector: { matchLabels: { app: "x" } }, portLevelMtls: { 8080: each.own } },
    ),
);

/** Sidecars that name hosts one by one, whether they are there or not. */
const importedHost = fc.oneof(
  fc.record({ from: fc.constantFrom("*", ".", "a", "b"), to: host }).map(({ from, to }) => `${from}/${to}`),
  fc.constantFrom("*/*", "./*", "a/*", "*/*.a.svc.cluster.local"),
);
/** The proxy binds the last by itself, at an address where it may listen for the headless Service already. */
const ingress = fc.constantFrom<object>(
  { port: { number: 80, protocol: "HTTP", name: "in" } },
  { port: { number: 8080, protocol: "HTTP", name: "in" } },
  { port: { number: 82, protocol: "TCP", name: "in" }, bind: "10.0.7.1", captureMode: "NONE" },
);
const sidecar = istio(
  "Sidecar",
  fc.constantFrom("one", "two"),
  fc
    .record({
      hosts: fc.uniqueArray(importedHost, { minLength: 1, maxLength: 2 }),
      port: fc.option(fc.record({ number: portNumber, host: importedHost }), { freq: 1 }),
      selecting: fc.boolean(),
      ingress: fc.option(ingress),
    })
    .map(({ hosts, port, selecting, ingress: inbound }) => ({
      ...(selecting && { workloadSelector: { labels: { app: "x" } } }),
      egress: [
        ...(port === null
          ? []
          : [{ hosts: [port.host], port: { number: port.number, protocol: "HTTP", name: "own" } }]),
        { hosts },
      ],
      ...(inbound !== null && { ingress: [{ ...inbound, defaultEndpoint: "127.0.0.1:7000" }] }),
    })),
);

/** Seldom: both alter everything, and would hide what is forgotten otherwise. */
const settings = fc.oneof(
  fc
    .constantFrom<object>(
      {},
      { rootNamespace: "b", extensionProviders: [authorizer] },
      { defaultServiceExportTo: ["."], extensionProviders: [authorizer] },
      { defaultVirtualServiceExportTo: ["."], extensionProviders: [authorizer] },
      { defaultDestinationRuleExportTo: ["a"] },
      { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" }, extensionProviders: [authorizer] },
      { enableAutoMtls: false, extensionProviders: [authorizer] },
      { proxyHttpPort: 15007, extensionProviders: [...telemetryProviders, authorizer] },
      { extensionProviders: [...telemetryProviders, authorizer] },
      {
        extensionProviders: [authorizer, ...telemetryProviders],
        defaultProviders: { tracing: ["otel"], accessLogging: ["als"] },
      },
    )
    .map((spec) => ({ apiVersion: "mesh.istio.io/v1alpha1", kind: "MeshConfig", metadata: { name: "mesh" }, spec })),
  meshNetworks.map((spec) => ({
    apiVersion: "mesh.istio.io/v1alpha1",
    kind: "MeshNetworks",
    metadata: { name: "networks" },
    spec,
  })),
);

const anything: fc.Arbitrary<ObjectEdit> = fc
  .record({ edit: meshEdit, field: fc.option(fc.nat(7), { nil: undefined }) })
  .map(({ edit: { apiVersion, kind, namespace: where, name, spec }, field }) => ({
    object: { apiVersion, kind, metadata: { namespace: where, name }, spec: spec ?? {} },
    deleted: spec === undefined,
    ...(field !== undefined && { field }),
  }));

const interacting: fc.Arbitrary<ObjectEdit> = fc
  .record({
    object: fc.oneof(
      { weight: 5, arbitrary: service },
      { weight: 4, arbitrary: rule },
      { weight: 4, arbitrary: routes },
      { weight: 1, arbitrary: delegate },
      { weight: 3, arbitrary: sidecar },
      { weight: 2, arbitrary: selectingService },
      { weight: 2, arbitrary: workload },
      { weight: 3, arbitrary: kubernetesService },
      { weight: 3, arbitrary: slice },
      { weight: 2, arbitrary: pod },
      { weight: 1, arbitrary: machine },
      { weight: 1, arbitrary: namespaceObject },
      { weight: 2, arbitrary: gateway },
      { weight: 2, arbitrary: peerAuthentication },
      { weight: 3, arbitrary: authorizationPolicy },
      { weight: 3, arbitrary: envoyFilter },
      { weight: 2, arbitrary: credentialObject },
    ),
    deleted: fc.nat(3).map((chance) => chance === 0),
    field: fc.option(fc.nat(7), { nil: undefined, freq: 3 }),
  })
  .map(({ field, ...edit }) => ({ ...edit, ...(field !== undefined && { field }) }));

/** At first, all providers are there that other objects name. */
const providers: WrittenObject = {
  apiVersion: "mesh.istio.io/v1alpha1",
  kind: "MeshConfig",
  metadata: { name: "mesh" },
  spec: { extensionProviders: [...telemetryProviders, authorizer] },
};

/** Most objects are there at first: an object that stands alone interacts with nothing. */
const first: fc.Arbitrary<readonly ObjectEdit[]> = fc
  .tuple(
    service,
    service,
    selectingService,
    workload,
    rule,
    rule,
    routes,
    routes,
    gateway,
    kubernetesService,
    slice,
    peerAuthentication,
    authorizationPolicy,
    envoyFilter,
    plugin,
    legacyObject,
    legacyObject,
    legacyObject,
  )
  .chain((present) => fc.subarray(present, { minLength: 6 }))
  .chain((present) => fc.constantFrom([], coreObjects, coreObjects).map((core) => [...core, ...present]))
  .chain((present) =>
    fc.array(sidecar, { maxLength: 2 }).map((sidecars) => [headlessService, providers, ...present, ...sidecars]),
  )
  .map((objects) => objects.map((object) => ({ object, deleted: false })));

/** Endpoints change most often, and alone: `endpoints` is the last field of a service above. */
const endpointsAlone = service.map((object) => ({ object, deleted: false, field: 6 }));

/** Objects of a cluster that meet these less: Ingresses, their classes, endpoints as they were listed before slices. */
const anythingInCluster: fc.Arbitrary<ObjectEdit> = fc.record({
  object: clusterObject,
  deleted: fc.nat(3).map((chance) => chance === 0),
});

const edit: fc.Arbitrary<ObjectEdit> = fc.oneof(
  { weight: 18, arbitrary: interacting },
  { weight: 18, arbitrary: coreEdit },
  { weight: 3, arbitrary: endpointsAlone },
  { weight: 2, arbitrary: headlessSlice.map((object) => ({ object, deleted: false })) },
  { weight: 5, arbitrary: anything },
  { weight: 3, arbitrary: anythingInCluster },
  { weight: 4, arbitrary: extensionEdit },
  { weight: 6, arbitrary: legacyEdit },
  { weight: 2, arbitrary: settings.map((object) => ({ object, deleted: false })) },
);

/** A mesh at once, and then few edits at a time: a step that edits much hides what one edit alone would leave behind. */
export const interactingEdits: fc.Arbitrary<readonly (readonly ObjectEdit[])[]> = fc
  .record({
    start: first,
    steps: fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { minLength: 4, maxLength: 12 }),
  })
  .map(({ start, steps }) => [start, ...steps]);
