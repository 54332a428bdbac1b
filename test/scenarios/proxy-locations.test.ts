import { expect, test } from "vitest";
import type { EnvoyModel, ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { endpointType } from "../../src/xds/type-urls.ts";

const racks = ["one", "two", "three"];
const services = ["reviews", "ratings", "details", "carts", "payments"];

const reviews = "outbound|80||reviews.shop.svc.cluster.local";

const service = (name: string) => `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [${racks.map((rack, index) => `{address: 10.0.0.${index + 1}, labels: {rack: ${rack}}}`).join()}]
---
`;

/** The only rule that depends on the locality of a client. */
const near = `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  trafficPolicy:
    outlierDetection: {consecutive5xxErrors: 5}
    loadBalancer: {localityLbSetting: {failoverPriority: [rack]}}
---
`;

function proxyIn(rack: string): ModelNode {
  return {
    nodeId: "router~127.0.0.1~gw.shop~shop.svc.cluster.local",
    metadata: { NAMESPACE: "shop", LABELS: { rack, pod: rack } },
  };
}

/** The encodings for some proxies in each of some racks: at first, and after a change of an endpoint. */
async function encodingsIn(places: readonly string[], proxiesPerRack: number, rules: string) {
  const mesh = await ScenarioMesh.serving(services.map(service).join("") + rules);
  const envoys: EnvoyModel[] = [];
  const counted = async (step: () => void) => {
    const before = mesh.encodings;
    step();
    await mesh.settle(envoys);
    return mesh.encodings - before;
  };
  const first = await counted(() => {
    for (const rack of places) {
      for (let index = 0; index < proxiesPerRack; index++) envoys.push(mesh.connect("delta", proxyIn(rack)));
    }
  });
  const moved = await counted(() => mesh.apply(service("reviews").replace("10.0.0.1", "10.0.0.9")));
  const plain = await counted(() => mesh.apply(service("ratings").replace("10.0.0.1", "10.0.0.9")));
  return { first, moved, plain, envoys };
}

test("proxies in three racks cost three assignments of the one service with locality, however many proxies there are", async () => {
  const many = await encodingsIn(racks, 20, near);
  const few = await encodingsIn(racks, 1, near);
  const one = await encodingsIn(racks.slice(0, 1), 1, near);
  expect(many.envoys).toHaveLength(60);
  expect({ ...many, envoys: [] }).toEqual({ ...few, envoys: [] });
  // One assignment for each further rack. Its endpoints are encoded once for all.
  expect(few.first - one.first).toBe(2);
  expect(few.moved - one.moved).toBe(2);
  expect(few.plain).toBe(one.plain);
});

test("without a locality setting, a rack makes no difference", async () => {
  const apart = await encodingsIn(racks, 5, "");
  const together = await encodingsIn(racks.slice(0, 1), 1, "");
  expect({ ...apart, envoys: [] }).toEqual({ ...together, envoys: [] });
});

test("each proxy has the endpoints of its own rack first, and a change of the rule reaches them all", async () => {
  const mesh = await ScenarioMesh.serving(services.map(service).join("") + near);
  const envoys = racks.map((rack) => mesh.connect("delta", proxyIn(rack)));
  await mesh.settle(envoys);
  const versions = () => new Set(envoys.map(({ held }) => held.get(endpointType)?.get(reviews)?.version));
  expect(versions().size).toBe(3);
  mesh.remove("DestinationRule", "shop", "reviews");
  await mesh.settle(envoys);
  expect(versions().size).toBe(1);
  expect(envoys.flatMap((envoy) => envoy.broken)).toEqual([]);
});
