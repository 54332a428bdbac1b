import { describe, expect, test } from "vitest";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { soon } from "../../src/testing/until.ts";
import { clusterType, endpointType } from "../../src/xds/type-urls.ts";

interface Entry {
  readonly addresses?: readonly string[];
  readonly account?: string;
  readonly port?: number;
  readonly resolution?: "STATIC" | "DNS";
}

function service(
  name: string,
  { addresses = [], account = "a", port = 80, resolution = "STATIC" }: Entry = {},
): string {
  const endpoints = addresses.map((address) => `{address: ${address}, serviceAccount: ${account}}`).join(", ");
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: ${resolution}
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  endpoints: [${endpoints}]
`;
}

const mesh = [service("reviews", { addresses: ["10.0.0.1"] }), service("ratings", { addresses: ["10.0.1.1"] })].join(
  "---",
);
const node = { nodeId: "router~10.0.8.1~gw.istio-system~istio-system.svc.cluster.local", metadata: {} };
const cluster = (name: string, port = 80) => `outbound|${port}||${name}.shop.svc.cluster.local`;

async function serving(mode: "sotw" | "delta") {
  const world = await ScenarioMesh.serving(mesh);
  const proxy = world.connect(mode, node);
  await world.settle([proxy]);
  forget(world);
  return { world, proxy };
}

/** From here on only what is new is told. */
function forget(world: ScenarioMesh): void {
  world.requests.length = 0;
  world.runs.length = 0;
  world.observer.sent.length = 0;
}

async function flushed(): Promise<void> {
  for (let turns = 0; turns < 100; turns++) await Promise.resolve();
}

const sent = (world: ScenarioMesh) =>
  world.observer.sent.map(({ type, resources, cause }) => ({ type, resources, cause }));
const endpointsOf = (proxy: EnvoyModel, name: string) => proxy.held.get(endpointType)?.get(cluster(name))?.content;

describe.each(["sotw", "delta"] as const)("a full push, %s", (mode) => {
  test("goes from an edit to a proxy step by step, with only the changed resources", async () => {
    const { world, proxy } = await serving(mode);

    // The edit is a request before anything else happens, and it waits for quiet.
    world.apply(service("details", { addresses: ["10.0.2.1"] }));
    expect(
      world.requests.map(({ changed }) => changed.has("Service/shop/details.shop.svc.cluster.local" as never)),
    ).toEqual([true]);
    world.clock.advance(9);
    await Promise.resolve();
    expect(world.runs).toEqual([]);

    // When it is quiet, generators run for what changed and no more, and no response is made for others.
    await world.pushed();
    expect(world.runs.every(({ full }) => !full)).toBe(true);

    // Clusters leave first; their endpoints follow on the same stream, before anything is acknowledged.
    expect(world.observer.sent[0]).toMatchObject({ type: "CDS", cause: ["service", "endpoint"] });
    await world.settle([proxy]);
    expect(proxy.names(clusterType)).toContain(cluster("details"));
    expect(endpointsOf(proxy, "details")?.empty).toBe(false);
    expect(proxy.broken).toEqual([]);
    expect(proxy.warming).toBe(0);
  });

  test("merges with pending pushes, and each proxy gets one push", async () => {
    const { world, proxy } = await serving(mode);
    const other = world.connect(mode, { ...node, nodeId: node.nodeId.replace("gw.", "gw2.") });
    await world.settle([proxy, other]);
    forget(world);
    for (const name of ["a", "b", "c"]) {
      world.apply(service(name, { addresses: ["10.0.3.1"] }));
      world.clock.advance(5);
    }
    await world.settle([proxy, other]);
    expect(world.requests).toHaveLength(3);
    const clusters = world.observer.sent.filter(({ type }) => type === "CDS");
    expect(clusters.map(({ cause }) => cause)).toEqual([
      ["service", "endpoint"],
      ["service", "endpoint"],
    ]);
    expect(new Set(clusters.map(({ node: to }) => to)).size).toBe(2);
  });

  test("for a removed service removes its cluster, and sends nothing else", async () => {
    const { world, proxy } = await serving(mode);
    world.remove("ServiceEntry", "shop", "ratings");
    await world.settle([proxy]);
    expect(proxy.names(clusterType)).not.toContain(cluster("ratings"));
    expect(proxy.names(clusterType)).toContain(cluster("reviews"));
    expect(proxy.broken).toEqual([]);
    expect(world.observer.sent.filter(({ type }) => type === "EDS" || type === "LDS")).toEqual([]);
  });
});

describe.each(["sotw", "delta"] as const)("a push of endpoints, %s", (mode) => {
  test("is sent at once, with only the changed assignment", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("reviews", { addresses: ["10.0.0.1", "10.0.0.2"] }));
    // No time passes.
    await soon(world.discovery.idle());
    expect(world.runs.map(({ type, full }) => ({ type, full }))).toEqual([{ type: "EDS", full: false }]);
    expect(sent(world)).toEqual([{ type: "EDS", resources: 1, cause: ["endpoint"] }]);
    await world.settle([proxy]);
    expect(sent(world)).toHaveLength(1);
  });

  test("neither waits for debounced configuration nor includes it", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("details", { addresses: ["10.0.2.1"] }));
    world.apply(service("reviews", { addresses: ["10.0.0.2"] }));
    // The window of the first is open; the other has left, though nobody let time pass.
    await flushed();
    expect(sent(world)).toEqual([{ type: "EDS", resources: 1, cause: ["endpoint"] }]);
    await world.settle([proxy]);
    expect(proxy.names(clusterType)).toContain(cluster("details"));
  });

  test("covers the loss of the last endpoint and its return", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("reviews"));
    await world.settle([proxy]);
    expect(endpointsOf(proxy, "reviews")?.empty).toBe(true);
    world.apply(service("reviews", { addresses: ["10.0.0.1"] }));
    await world.settle([proxy]);
    expect(endpointsOf(proxy, "reviews")?.empty).toBe(false);
  });

  test("is also a push of its service when the service account changes", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("reviews", { addresses: ["10.0.0.1"], account: "another" }));
    await world.settle([proxy]);
    expect(world.requests.map(({ reasons }) => [...reasons.keys()])).toEqual([["service", "endpoint"]]);
  });

  test("is a push of clusters when Envoy resolves the endpoints, and old endpoints are not sent", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("reviews", { addresses: ["a.example.com"], resolution: "DNS" }));
    await world.settle([proxy]);
    forget(world);
    world.apply(service("reviews", { addresses: ["b.example.com"], resolution: "DNS" }));
    await world.settle([proxy]);
    expect(sent(world).map(({ type }) => type)).toEqual(["CDS"]);
    expect(proxy.broken).toEqual([]);
  });

  test("does not happen when an edit leaves endpoints unchanged", async () => {
    const { world, proxy } = await serving(mode);
    world.apply(service("reviews", { addresses: ["10.0.0.1"] }));
    await world.settle([proxy]);
    expect(world.requests).toEqual([]);
    expect(sent(world)).toEqual([]);
  });
});
