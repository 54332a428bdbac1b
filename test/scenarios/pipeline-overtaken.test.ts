import { expect, test } from "vitest";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { clusterType, listenerType, routeType } from "../../src/xds/type-urls.ts";

function service(name: string): string {
  return `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec: { clusterIP: 10.9.0.${name.length}, ports: [{ name: http, port: 80 }] }
`;
}

const rule = `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: { name: pay, namespace: shop }
spec: { host: pay.shop.svc.cluster.local, trafficPolicy: { loadBalancer: { simple: RANDOM } } }
`;

function holdings(envoy: EnvoyModel): readonly (readonly string[])[] {
  return [clusterType, listenerType, routeType].map((type) => [...(envoy.held.get(type)?.keys() ?? [])].toSorted());
}

test.each([
  ["a sidecar", { nodeId: "sidecar~10.0.0.9~a-0.shop~shop.svc.cluster.local", metadata: {} }],
  ["a gRPC client", { nodeId: "sidecar~10.0.0.8~b-0.shop~shop.svc.cluster.local", metadata: { GENERATOR: "grpc" } }],
  ["a router", { nodeId: "router~10.0.0.7~c-0.shop~shop.svc.cluster.local", metadata: {} }],
])("a service removed before a pending push begins disappears from %s", async (_, node) => {
  const mesh = await ScenarioMesh.serving(`${service("cart")}---${service("pay")}`);
  const proxy = mesh.connect("sotw", node);
  await mesh.settle([proxy]);
  mesh.apply(rule);
  mesh.clock.advance(100);
  // The push of the rule is due. It takes the mesh as it is when this turn is over: without the service.
  mesh.removeAll(service("cart"));
  await mesh.pushed();
  await mesh.settle([proxy]);
  const fresh = await ScenarioMesh.serving(`${service("pay")}---${rule}`);
  const newcomer = fresh.connect("sotw", node);
  await fresh.settle([newcomer]);
  expect(holdings(proxy)).toEqual(holdings(newcomer));
});
