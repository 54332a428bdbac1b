import { describe, expect, test } from "vitest";
import { type EnvoyModel, gatewayIn } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { clusterType } from "../../src/xds/type-urls.ts";

const namespaces = ["north", "east", "south", "west"];
const services = ["reviews", "ratings", "details", "carts", "payments"];

const service = (name: string) => `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}, {address: 10.0.0.2}]
---
`;

/** A gateway that every proxy of the test serves, and a route per service. */
const gateway = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: shop}
spec:
  servers:
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}
---
`;

const route = (name: string, timeout = "1s") => `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.example.com]
  gateways: [shop/public]
  http: [{timeout: ${timeout}, route: [{destination: {host: ${name}.shop.svc.cluster.local}}]}]
---
`;

const rule = (name: string, connectTimeout: string) => `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ${name}, namespace: shop}
spec:
  host: ${name}.shop.svc.cluster.local
  trafficPolicy: {connectionPool: {tcp: {connectTimeout: ${connectTimeout}}}}
---
`;

const wholeMesh = gateway + services.map((name) => service(name) + route(name)).join("");

/** Acknowledgements as in a real fleet: most prompt, some absent, some NACKs, some from slow readers. */
function mixed(envoys: readonly EnvoyModel[]): readonly EnvoyModel[] {
  for (const [index, envoy] of envoys.entries()) {
    if (index % 5 === 1) envoy.reject = (typeUrl) => typeUrl.endsWith("RouteConfiguration");
    if (index % 5 === 2) envoy.stream?.stall();
  }
  return envoys.filter((_, index) => index % 5 !== 3);
}

/** The number of encodings at each step of a mesh. The proxies of a namespace form a class. */
async function encodingsWith(proxiesPerClass: number, mode: "sotw" | "delta", classes = namespaces) {
  const mesh = await ScenarioMesh.serving(wholeMesh);
  const counted = async (step: () => void, envoys: readonly EnvoyModel[]) => {
    const before = mesh.encodings;
    step();
    await mesh.settle(envoys);
    return mesh.encodings - before;
  };
  const envoys: EnvoyModel[] = [];
  const first = await counted(() => {
    for (let index = 0; index < proxiesPerClass; index++) {
      for (const namespace of classes) envoys.push(mesh.connect(mode, gatewayIn(namespace)));
    }
  }, envoys);
  // Slow or rejecting clients must cost nothing: with one proxy per class all of them are prompt.
  const prompt = proxiesPerClass === 1 ? envoys : mixed(envoys);
  const routeEdit = await counted(() => mesh.apply(route("reviews", "2s")), prompt);
  const ruleEdit = await counted(() => mesh.apply(rule("ratings", "2s")), prompt);
  const removal = await counted(() => {
    mesh.remove("VirtualService", "shop", "carts");
    mesh.remove("ServiceEntry", "shop", "carts");
  }, prompt);
  const nothing = await counted(() => mesh.apply(route("reviews", "2s")), prompt);
  return { counts: { first, routeEdit, ruleEdit, removal, nothing }, envoys, prompt };
}

describe.each(["sotw", "delta"] as const)("200 %s proxies of 4 classes with mixed acknowledgements", (mode) => {
  test("cost as much as 4 prompt proxies, at every step", async () => {
    const many = await encodingsWith(50, mode);
    const few = await encodingsWith(1, mode);
    expect(many.envoys).toHaveLength(200);
    expect(many.counts).toEqual(few.counts);
    expect(many.envoys.flatMap((envoy) => envoy.broken)).toEqual([]);
  });

  test("encode at most 4 classes at first, and after an edit only the change per class", async () => {
    const { counts } = await encodingsWith(50, mode);
    const oneClass = await encodingsWith(1, mode, ["north"]);
    expect(counts.first).toBeLessThanOrEqual(4 * oneClass.counts.first);
    // A cluster and its load assignment are the same bytes for all classes. Each class has its own route configuration.
    const classes = 4;
    const sharedParts = { virtualHost: 1, retryPredicate: 1 };
    expect(counts.ruleEdit).toBe(2);
    expect(counts.routeEdit).toBe(classes + sharedParts.virtualHost + sharedParts.retryPredicate);
    expect(counts.removal).toBe(classes);
    expect(counts.nothing).toBe(0);
  });
});

test("a proxy that accepted everything holds the mesh without the removed resources", async () => {
  const { envoys } = await encodingsWith(5, "delta");
  const content = envoys.filter((_, index) => index % 5 === 0 || index % 5 === 4);
  expect(content).toHaveLength(8);
  for (const envoy of content) {
    expect(envoy.names(clusterType)).toHaveLength(services.length);
    expect(envoy.names(clusterType).join()).not.toContain("carts");
    expect(envoy.warming).toBe(0);
  }
});
