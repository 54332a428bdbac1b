import { describe, expect, test } from "vitest";
import type { ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { HeldLeases } from "../../src/testing/mesh/held-leases.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";

const object = (kind: string, namespace: string, name: string, spec: string, apiVersion = "networking.istio.io/v1") => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;

interface Service {
  readonly namespace: string;
  readonly address?: string;
  readonly exportTo?: string;
  readonly protocol?: string;
}

/** `reviews` of a namespace. */
function service({ namespace, address = "10.0.0.1", exportTo = "*", protocol = "HTTP" }: Service): string {
  const spec = `
  hosts: [reviews.${namespace}.svc.cluster.local]
  exportTo: ["${exportTo}"]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: port, protocol: ${protocol}}]
  endpoints: [{address: ${address}, serviceAccount: reviews}]`;
  return object("ServiceEntry", namespace, "reviews", spec);
}

const hosts = (namespace: string) => `reviews.${namespace}.svc.cluster.local`;
const virtualService = (namespace: string, timeout: string, exportTo = "*") =>
  object(
    "VirtualService",
    namespace,
    "reviews",
    `{hosts: [${hosts(namespace)}], exportTo: ["${exportTo}"], gateways: [mesh${exportTo === "*" ? ", istio-system/public" : ""}], http: [{timeout: ${timeout}, route: [{destination: {host: ${hosts(namespace)}}}]}]}`,
  );
const destinationRule = (namespace: string, connections: number, exportTo = "*") =>
  object(
    "DestinationRule",
    namespace,
    "reviews",
    `{host: ${hosts(namespace)}, exportTo: ["${exportTo}"], trafficPolicy: {connectionPool: {tcp: {maxConnections: ${connections}}}}}`,
  );
const gateway = (name: string, app: string, port: number) =>
  object(
    "Gateway",
    "istio-system",
    name,
    `{selector: {app: ${app}}, servers: [{port: {number: ${port}, name: http, protocol: HTTP}, hosts: ["*"]}]}`,
  );
const sidecar = (namespace: string, host: string) =>
  object("Sidecar", namespace, "default", `{egress: [{hosts: ["${host}"]}]}`);
const peerAuthentication = (namespace: string, mode: string) =>
  object("PeerAuthentication", namespace, "default", `{mtls: {mode: ${mode}}}`, "security.istio.io/v1");

const hidden = { namespace: "other", exportTo: ".", address: "10.0.9.1" };
const all = (...texts: readonly string[]) => texts.join("\n---\n");

const mesh = all(
  service({ namespace: "shop" }),
  service(hidden),
  virtualService("shop", "1s"),
  virtualService("other", "1s", "."),
  destinationRule("shop", 1),
  destinationRule("other", 1, "."),
  gateway("public", "gw", 8080),
  gateway("foreign", "another", 8080),
  sidecar("shop", "./*"),
  sidecar("other", "./*"),
  peerAuthentication("shop", "PERMISSIVE"),
  peerAuthentication("other", "PERMISSIVE"),
);

const nodes = {
  sidecar: { nodeId: "sidecar~10.0.0.1~reviews.shop~shop.svc.cluster.local", metadata: { SDS_MODE: "none" } },
  router: {
    nodeId: "router~10.0.8.1~gw.istio-system~istio-system.svc.cluster.local",
    metadata: { LABELS: { app: "gw" }, SDS_MODE: "none" },
  },
} satisfies Record<string, ModelNode>;

/** The types that were made again for a proxy of a kind after an edit, what left, and how much was encoded. */
async function remade(kind: keyof typeof nodes, edit: string) {
  const world = await ScenarioMesh.serving(mesh);
  const proxy = world.connect("delta", nodes[kind]);
  await world.settle([proxy]);
  world.runs.length = 0;
  world.observer.sent.length = 0;
  const before = world.encodings;
  world.apply(edit);
  await world.settle([proxy]);
  return {
    types: [...new Set(world.runs.map(({ type }) => type))].toSorted(),
    sent: [...new Set(world.observer.sent.map(({ type }) => type))].toSorted(),
    encodings: world.encodings - before,
  };
}

interface Row {
  readonly kind: string;
  readonly edit: string;
  readonly sidecar: readonly string[];
  readonly router: readonly string[];
}

/** The types that a change of each kind rebuilds, for proxies that see the object. */
const relevant: readonly Row[] = [
  {
    kind: "ServiceEntry",
    edit: service({ namespace: "shop", protocol: "TCP" }),
    sidecar: ["CDS", "EDS", "LDS", "RDS"],
    router: ["CDS", "EDS", "LDS", "RDS"],
  },
  {
    kind: "Endpoints",
    edit: service({ namespace: "shop", address: "10.0.0.2" }),
    sidecar: ["CDS", "EDS", "LDS"],
    router: ["EDS"],
  },
  {
    kind: "VirtualService",
    edit: virtualService("shop", "2s"),
    sidecar: ["CDS", "EDS", "LDS", "RDS"],
    router: ["CDS", "EDS", "LDS", "RDS"],
  },
  {
    kind: "DestinationRule",
    edit: destinationRule("shop", 2),
    sidecar: ["CDS", "EDS", "LDS", "RDS"],
    router: ["CDS", "EDS", "LDS", "RDS"],
  },
  { kind: "Gateway", edit: gateway("public", "gw", 8081), sidecar: [], router: ["LDS", "RDS"] },
  { kind: "Sidecar", edit: sidecar("shop", "*/*"), sidecar: ["CDS", "EDS", "LDS", "RDS"], router: [] },
  {
    kind: "PeerAuthentication",
    edit: peerAuthentication("shop", "STRICT"),
    sidecar: ["CDS", "EDS", "LDS"],
    router: ["CDS", "EDS"],
  },
];

/** The same of objects that neither of them sees. */
const irrelevant: readonly { readonly kind: string; readonly edit: string }[] = [
  { kind: "ServiceEntry", edit: service({ ...hidden, protocol: "TCP" }) },
  { kind: "Endpoints", edit: service({ ...hidden, address: "10.0.9.2" }) },
  { kind: "VirtualService", edit: virtualService("other", "2s", ".") },
  { kind: "DestinationRule", edit: destinationRule("other", 2, ".") },
  { kind: "Sidecar", edit: sidecar("other", "*/*") },
  { kind: "PeerAuthentication", edit: peerAuthentication("other", "STRICT") },
  { kind: "WorkloadGroup", edit: object("WorkloadGroup", "shop", "vms", "{template: {serviceAccount: x}}") },
];

describe("the matrix of kinds and types", () => {
  test.each(relevant)("a visible $kind regenerates for a sidecar: $sidecar", async ({ edit, sidecar: types }) => {
    expect((await remade("sidecar", edit)).types).toEqual(types);
  });

  test.each(relevant)("a visible $kind regenerates for a router: $router", async ({ edit, router: types }) => {
    expect((await remade("router", edit)).types).toEqual(types);
  });

  test.each(irrelevant)("an invisible $kind generates and sends nothing", async ({ edit }) => {
    for (const kind of ["sidecar", "router"] as const) {
      expect(await remade(kind, edit)).toMatchObject({ sent: [], encodings: 0 });
    }
  });

  test.each(irrelevant.filter(({ kind }) => kind !== "DestinationRule" && kind !== "PeerAuthentication"))(
    "a $kind invisible to a sidecar does not touch its parts",
    async ({ edit }) => {
      expect((await remade("sidecar", edit)).types).toEqual([]);
    },
  );

  test("a Gateway of other routers sends nothing to ours", async () => {
    expect((await remade("router", gateway("foreign", "another", 8081))).sent).toEqual([]);
  });
});

/** A gateway between networks. */
const crossing = object(
  "Gateway",
  "istio-system",
  "crossing",
  "{selector: {app: crossing}, servers: [{port: {number: 15443, name: tls, protocol: TLS}, hosts: ['*.local'], tls: {mode: AUTO_PASSTHROUGH}}]}",
);
const fewer = {
  proxyless: proxyWithName("sidecar~10.0.0.7~client.shop~shop.svc.cluster.local", { GENERATOR: "grpc" }),
  crossing: proxyWithName("router~10.0.8.2~crossing.istio-system~istio-system.svc.cluster.local", {
    LABELS: { app: "crossing" },
  }),
};

/** The families that were made again for a proxy after an edit. */
async function remadeFamilies(kind: keyof typeof fewer, edit: string): Promise<readonly string[]> {
  const world = await ScenarioMesh.serving(all(mesh, crossing));
  const held = new HeldLeases(world.discovery.catalogue, [{ proxy: fewer[kind] }]);
  world.runs.length = 0;
  world.apply(edit);
  await world.pushed();
  held.renew();
  return world.runs.map(({ type, family }) => `${type} ${family}`);
}

describe("families that depend on few kinds", () => {
  test.each([
    { kind: "PeerAuthentication", edit: peerAuthentication("shop", "STRICT"), made: ["EDS grpc"] },
    { kind: "DestinationRule", edit: destinationRule("shop", 2), made: ["CDS grpc", "EDS grpc", "RDS grpc"] },
    { kind: "VirtualService", edit: virtualService("shop", "2s"), made: ["CDS grpc", "EDS grpc", "RDS grpc"] },
  ])("a $kind regenerates for a proxyless client: $made", async ({ edit, made }) => {
    expect(await remadeFamilies("proxyless", edit)).toEqual(made);
  });

  test.each([
    { kind: "VirtualService", edit: virtualService("shop", "2s"), made: [] },
    { kind: "Sidecar", edit: sidecar("shop", "*/*"), made: [] },
    { kind: "DestinationRule", edit: destinationRule("shop", 2), made: ["CDS sni-dnat", "EDS sni-dnat"] },
    { kind: "PeerAuthentication", edit: peerAuthentication("shop", "STRICT"), made: ["CDS sni-dnat", "EDS sni-dnat"] },
  ])("a $kind regenerates for an east-west gateway: $made", async ({ edit, made }) => {
    const families = await remadeFamilies("crossing", edit);
    expect(families.filter((family) => family.endsWith(" sni-dnat"))).toEqual(made);
  });
});
