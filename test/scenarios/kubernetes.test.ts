import { expect, test } from "vitest";
import { type EnvoyModel, gatewayIn, type ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";

const shop = `
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: reviews}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: reviews-0, namespace: shop, labels: {app: reviews}}
spec: {serviceAccountName: reviews}
status: {phase: Running, podIP: 10.0.0.1}
`;
const cluster = "outbound|80||reviews.shop.svc.cluster.local";

function slice(ready: boolean): string {
  return `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: reviews-1, namespace: shop, labels: {kubernetes.io/service-name: reviews}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
- {addresses: [10.0.0.1], conditions: {ready: ${ready}, terminating: false}, targetRef: {kind: Pod, name: reviews-0}}
`;
}

function ingress(name: string): string {
  return `
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: shop, namespace: shop, annotations: {kubernetes.io/ingress.class: ${name}}}
spec: {rules: [{host: shop.example.com, http: {paths: [{backend: {serviceName: reviews, servicePort: 80}}]}}]}
`;
}

const sidecar: ModelNode = {
  nodeId: "sidecar~10.0.0.1~reviews-0.shop~shop.svc.cluster.local",
  metadata: { LABELS: { app: "reviews" } },
};

function versions(envoy: EnvoyModel, type: string): ReadonlyMap<string, string> {
  return new Map(Array.from(envoy.held.get(type) ?? [], ([name, { version }]) => [name, version]));
}

test("an unready pod gets its inbound configuration, and readiness changes only endpoints", async () => {
  const mesh = await ScenarioMesh.serving(`${shop}---${slice(false)}`);
  const own = mesh.connect("delta", sidecar);
  const caller = mesh.connect("delta", gatewayIn("istio-system"));
  await mesh.settle([own, caller]);
  expect(own.names(clusterType)).toContain("inbound|8080||");
  expect([...caller.unserved]).toEqual([cluster]);
  const before = [clusterType, listenerType, routeType].map((type) => versions(own, type));
  mesh.apply(slice(true));
  await mesh.settle([own, caller]);
  expect([...caller.unserved]).toEqual([]);
  expect(versions(caller, endpointType).has(cluster)).toBe(true);
  expect([clusterType, listenerType, routeType].map((type) => versions(own, type))).toEqual(before);
});

test("an Ingress of class istio is served by the ingress gateways until its class changes", async () => {
  const mesh = await ScenarioMesh.serving(`${shop}---${slice(true)}---${ingress("istio")}`);
  const gateway = mesh.connect("sotw", { ...gatewayIn("istio-system"), metadata: { LABELS: { istio: "ingress" } } });
  await mesh.settle([gateway]);
  expect(gateway.held.get(routeType)?.get("http.80")?.content.clusters).toEqual([cluster]);
  mesh.apply(ingress("nginx"));
  await mesh.settle([gateway]);
  expect(gateway.names(listenerType)).toEqual([]);
});

test("a Service has the endpoints of its selected WorkloadEntries, whose proxies serve it", async () => {
  const machine = `
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: {name: machine, namespace: shop}
spec: {address: 10.0.7.7, labels: {app: reviews}}
`;
  const mesh = await ScenarioMesh.serving(shop);
  const nodeId = "sidecar~10.0.7.7~machine.shop~shop.svc.cluster.local";
  const own = mesh.connect("delta", { nodeId, metadata: { LABELS: { app: "reviews" } } });
  const caller = mesh.connect("delta", gatewayIn("istio-system"));
  await mesh.settle([own, caller]);
  expect([...caller.unserved]).toEqual([cluster]);
  mesh.apply(machine);
  await mesh.settle([own, caller]);
  expect([...caller.unserved]).toEqual([]);
  const assigned = Buffer.from(caller.held.get(endpointType)?.get(cluster)?.content.text ?? "", "base64");
  expect(assigned.toString("latin1")).toContain("10.0.7.7");
  expect(own.names(clusterType)).toContain("inbound|8080||");
  mesh.removeAll(machine);
  await mesh.settle([own, caller]);
  expect([...caller.unserved]).toEqual([cluster]);
  expect(own.names(clusterType)).not.toContain("inbound|8080||");
});
