import { describe, expect, test } from "vitest";
import { isEndpointOnly, type PushRequest } from "../../src/pilot/model/push-request.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";

const istio = "networking.istio.io/v1";

function serviceEntry(name: string, spec: string, namespace = "shop"): string {
  return `
apiVersion: ${istio}
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${name}.${namespace}.svc.cluster.local]
  ports: [{number: 80, name: http, protocol: HTTP}]
${spec}`;
}

const statically = (...addresses: readonly string[]) =>
  `  resolution: STATIC\n  endpoints: [${addresses.map((address) => `{address: ${address}}`).join(", ")}]`;

const workload = (address: string, labels = "{app: reviews}") => `
apiVersion: ${istio}
kind: WorkloadEntry
metadata: {name: vm, namespace: shop}
spec: {address: ${address}, labels: ${labels}}
`;

function config(kind: string, name: string, spec: string, { metadata = "", apiVersion = istio } = {}): string {
  return `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: ${name}, namespace: shop${metadata}}
spec: ${spec}
`;
}

const virtualService = (timeout: string, metadata = "") =>
  config(
    "VirtualService",
    "reviews",
    `{hosts: [reviews.shop.svc.cluster.local], http: [{timeout: ${timeout}, route: [{destination: {host: reviews.shop.svc.cluster.local}}]}]}`,
    { metadata },
  );
const delegating = config(
  "VirtualService",
  "root",
  "{hosts: [root.example.com], gateways: [shop/public], http: [{delegate: {name: part, namespace: shop}}]}",
);
const delegate = (timeout: string) =>
  config(
    "VirtualService",
    "part",
    `{http: [{timeout: ${timeout}, route: [{destination: {host: reviews.shop.svc.cluster.local}}]}]}`,
  );
const destinationRule = (connections: number) =>
  config(
    "DestinationRule",
    "reviews",
    `{host: reviews.shop.svc.cluster.local, trafficPolicy: {connectionPool: {tcp: {maxConnections: ${connections}}}}}`,
  );
const gateway = (port: number) =>
  config(
    "Gateway",
    "public",
    `{selector: {app: gw}, servers: [{port: {number: ${port}, name: http, protocol: HTTP}, hosts: ["*"]}]}`,
  );
const sidecar = (hosts: string) => config("Sidecar", "default", `{egress: [{hosts: ${hosts}}]}`);
const peerAuthentication = (mode: string) =>
  config("PeerAuthentication", "default", `{mtls: {mode: ${mode}}}`, { apiVersion: "security.istio.io/v1" });
const meshConfig = (mode: string) => `
apiVersion: mesh.istio.io/v1alpha1
kind: MeshConfig
metadata: {name: mesh}
spec: {outboundTrafficPolicy: {mode: ${mode}}}
`;

const all = (...texts: readonly string[]) => texts.join("\n---\n");
const selecting = serviceEntry("reviews", "  resolution: STATIC\n  workloadSelector: {labels: {app: reviews}}");
const reviews = serviceEntry("reviews", statically("10.0.0.1"));
const byName = (address: string) => serviceEntry("reviews", `  resolution: DNS\n  endpoints: [{address: ${address}}]`);
const host = "shop/reviews.shop.svc.cluster.local";

interface Event {
  readonly event: string;
  /** The objects before the edit. */
  readonly before: string;
  /** The objects to write, or a function with another edit. */
  readonly edit: string | ((mesh: ScenarioMesh) => void);
  readonly pushes: "nothing" | "endpoints only" | "full" | "everything";
  /** Absent where the first columns are enough. */
  readonly ids?: readonly string[];
  readonly reasons?: readonly string[];
}

/** The table of events and push requests, by edits of real objects. */
const events: readonly Event[] = [
  {
    event: "a service is added",
    before: "",
    edit: reviews,
    pushes: "full",
    ids: [`Service/${host}`, `Endpoints/${host}`, "Instance//10.0.0.1"],
    reasons: ["service", "endpoint"],
  },
  {
    event: "a service is deleted",
    before: reviews,
    edit: (mesh) => mesh.remove("ServiceEntry", "shop", "reviews"),
    pushes: "full",
    ids: [`Service/${host}`, `Endpoints/${host}`, "Instance//10.0.0.1"],
  },
  {
    event: "a port of a service changes",
    before: reviews,
    edit: reviews.replace("number: 80", "number: 81"),
    pushes: "full",
    ids: [`Service/${host}`, `Endpoints/${host}`, "Instance//10.0.0.1"],
  },
  {
    event: "only the target port of a service changes",
    before: reviews,
    edit: reviews.replace("protocol: HTTP", "protocol: HTTP, targetPort: 8080"),
    pushes: "full",
    ids: [`Service/${host}`, `Endpoints/${host}`, "Instance//10.0.0.1"],
  },
  {
    event: "an endpoint of a static service is added",
    before: reviews,
    edit: serviceEntry("reviews", statically("10.0.0.1", "10.0.0.2")),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.2"],
    reasons: ["endpoint"],
  },
  {
    event: "the last endpoint of a static service goes",
    before: reviews,
    edit: serviceEntry("reviews", statically()),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.1"],
  },
  {
    event: "an endpoint gets a label",
    before: reviews,
    edit: serviceEntry("reviews", "  resolution: STATIC\n  endpoints: [{address: 10.0.0.1, labels: {version: v1}}]"),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.1"],
  },
  {
    event: "an endpoint of another account comes",
    before: reviews,
    edit: serviceEntry("reviews", "  resolution: STATIC\n  endpoints: [{address: 10.0.0.1, serviceAccount: other}]"),
    pushes: "full",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.1", `Service/${host}`],
  },
  {
    event: "an endpoint of a service that Envoy resolves changes",
    before: byName("a.example.com"),
    edit: byName("b.example.com"),
    pushes: "full",
    ids: [`Endpoints/${host}`, `Service/${host}`, "Instance//a.example.com", "Instance//b.example.com"],
  },
  {
    event: "a WorkloadEntry that a service selects is added",
    before: selecting,
    edit: workload("10.0.0.7"),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.7"],
  },
  {
    event: "a WorkloadEntry gets a label that no service asks for",
    before: all(selecting, workload("10.0.0.7")),
    edit: workload("10.0.0.7", "{app: reviews, team: a}"),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.7"],
  },
  {
    event: "a WorkloadEntry is no longer selected",
    before: all(selecting, workload("10.0.0.7")),
    edit: workload("10.0.0.7", "{app: other}"),
    pushes: "endpoints only",
    ids: [`Endpoints/${host}`, "Instance//10.0.0.7"],
  },
  {
    event: "a WorkloadEntry that nobody selects is added",
    before: reviews,
    edit: workload("10.0.0.7"),
    pushes: "nothing",
  },
  {
    event: "a WorkloadGroup is added",
    before: reviews,
    edit: config("WorkloadGroup", "billing", "{template: {serviceAccount: billing}}"),
    pushes: "nothing",
  },
  {
    event: "a VirtualService is added",
    before: reviews,
    edit: virtualService("1s"),
    pushes: "full",
    ids: ["VirtualService/shop/reviews"],
    reasons: ["config"],
  },
  {
    event: "a VirtualService changes",
    before: all(reviews, virtualService("1s")),
    edit: virtualService("2s"),
    pushes: "full",
    ids: ["VirtualService/shop/reviews"],
  },
  {
    event: "a VirtualService is written again as it is",
    before: all(reviews, virtualService("1s")),
    edit: virtualService("1s"),
    pushes: "nothing",
  },
  {
    event: "a VirtualService is annotated by a tool",
    before: all(reviews, virtualService("1s")),
    edit: virtualService("1s", ", annotations: {tool: x}"),
    pushes: "nothing",
  },
  {
    event: "a delegate changes",
    before: all(reviews, delegating, delegate("1s")),
    edit: delegate("2s"),
    pushes: "full",
    ids: ["VirtualService/shop/root"],
  },
  {
    event: "a VirtualService is deleted",
    before: all(reviews, virtualService("1s")),
    edit: (mesh) => mesh.remove("VirtualService", "shop", "reviews"),
    pushes: "full",
    ids: ["VirtualService/shop/reviews"],
  },
  {
    event: "a DestinationRule changes",
    before: all(reviews, destinationRule(1)),
    edit: destinationRule(2),
    pushes: "full",
    ids: ["DestinationRule/shop/reviews"],
  },
  { event: "a Gateway changes", before: gateway(80), edit: gateway(81), pushes: "full", ids: ["Gateway/shop/public"] },
  {
    event: "a Sidecar changes",
    before: sidecar("['./*']"),
    edit: sidecar("['*/*']"),
    pushes: "full",
    ids: ["Sidecar/shop/default"],
  },
  {
    event: "a PeerAuthentication changes",
    before: peerAuthentication("STRICT"),
    edit: peerAuthentication("PERMISSIVE"),
    pushes: "full",
    ids: ["PeerAuthentication/shop/default"],
  },
  {
    event: "the mesh's settings change",
    before: all(reviews, meshConfig("ALLOW_ANY")),
    edit: meshConfig("REGISTRY_ONLY"),
    pushes: "everything",
    reasons: ["global"],
  },
  {
    event: "two services change in one edit",
    before: reviews,
    edit: all(serviceEntry("reviews", statically("10.0.0.9")), serviceEntry("ratings", statically("10.0.1.1"))),
    pushes: "full",
  },
  {
    event: "an object comes that no proxy is told of",
    before: reviews,
    edit: config("ServiceRole", "all", "{rules: [{services: ['*']}]}", { apiVersion: "rbac.istio.io/v1alpha1" }),
    pushes: "nothing",
  },
  {
    event: "only where an object stands changes",
    before: reviews,
    edit: `# moved down\n\n${reviews}`,
    pushes: "nothing",
  },
];

function kindOfPush(request: PushRequest | undefined): Event["pushes"] {
  if (request === undefined) return "nothing";
  if (request.forced) return "everything";
  return isEndpointOnly(request) ? "endpoints only" : "full";
}

describe("an event becomes a request: when", () => {
  test.each(events)("$event: $pushes", async ({ before, edit, pushes, ids, reasons }) => {
    const mesh = await ScenarioMesh.serving(before);
    mesh.requests.length = 0;
    if (typeof edit === "string") mesh.apply(edit);
    else edit(mesh);
    const [request, ...more] = mesh.requests;
    expect(more).toEqual([]);
    expect(kindOfPush(request)).toBe(pushes);
    const changed = [...(request?.changed ?? [])].toSorted();
    expect(changed).toEqual(ids?.toSorted() ?? changed);
    const causes = [...(request?.reasons.keys() ?? [])];
    expect(causes).toEqual(reasons ?? causes);
  });
});

test("a full push on request of an operator is forced, and sends no resource that proxies already hold", async () => {
  const mesh = await ScenarioMesh.serving(reviews);
  const proxy = mesh.connect("delta", { nodeId: "router~10.0.0.1~gw.shop~shop.svc.cluster.local", metadata: {} });
  await mesh.settle([proxy]);
  const sent = mesh.observer.sent.length;
  mesh.runs.length = 0;
  mesh.discovery.pushAll("debug");
  await mesh.settle([proxy]);
  expect(mesh.runs.map(({ full }) => full)).not.toContain(false);
  expect(new Set(mesh.runs.map(({ type }) => type))).toEqual(new Set(["CDS", "EDS", "LDS"]));
  expect(mesh.observer.sent.slice(sent)).toEqual([]);
});
