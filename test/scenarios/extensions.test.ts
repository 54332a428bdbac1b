import { expect, test } from "vitest";
import { decodedResource } from "../../src/testing/envoy/decoded-resource.ts";
import { generateFor, loadEnvironment, proxyFrom } from "../golden/generate.ts";

const mesh = `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  addresses: [10.1.0.1]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: 80, name: http, protocol: HTTP, targetPort: 9080}
  - {number: 90, name: tcp, protocol: TCP, targetPort: 9090}
  endpoints: [{address: 10.0.0.1, labels: {app: reviews}}]
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: shop}
spec:
  selector: {app: reviews}
  servers:
  - port: {number: 8080, name: http, protocol: HTTP}
    hosts: ["*"]
`;

/** The listeners, and within the inbound one the chains, that contain the filter of a WasmPlugin. */
function placesOf(type: "sidecar" | "router", spec: object): readonly string[] {
  const metadata = { name: "one", namespace: "shop" };
  const text = JSON.stringify({ apiVersion: "extensions.istio.io/v1alpha1", kind: "WasmPlugin", metadata, spec });
  const environment = loadEnvironment([
    { file: "mesh.yaml", text: mesh },
    { file: "wasm.yaml", text },
  ]);
  const id = `${type}~10.0.0.1~reviews-0.shop~shop.svc.cluster.local`;
  const proxy = proxyFrom({ id, metadata: { NAMESPACE: "shop", LABELS: { app: "reviews" } } });
  const listeners = generateFor(proxy, environment).get("LDS") ?? [];
  return listeners.flatMap((listener) => placesIn(decodedResource(listener) as unknown as Listener));
}

interface Listener {
  readonly name: string;
  readonly filterChains?: readonly Chain[];
  readonly defaultFilterChain?: Chain;
}

interface Chain {
  readonly name?: string;
  readonly filters: readonly unknown[];
}

function placesIn({ name, filterChains = [], defaultFilterChain }: Listener): readonly string[] {
  const chains = defaultFilterChain === undefined ? filterChains : [...filterChains, defaultFilterChain];
  const found = chains.filter(({ filters }) => JSON.stringify(filters).includes("wasmplugin/shop.one"));
  return [...new Set(found.map((chain) => (name === "virtualInbound" ? `inbound ${chain.name}` : name)))];
}

const url = "file:///opt/one.wasm";
const inbound = ["inbound 0.0.0.0_9080", "inbound virtualInbound-catchall-http"];
const bytes = ["inbound 0.0.0.0_9090", "inbound virtualInbound"];

test.each<[string, object, readonly string[]]>([
  ["all traffic", {}, ["0.0.0.0_80", ...inbound]],
  ["server traffic", { match: [{ mode: "SERVER" }] }, inbound],
  ["client traffic", { match: [{ mode: "CLIENT" }] }, ["0.0.0.0_80"]],
  ["a port of the workload", { match: [{ ports: [{ number: 9080 }] }] }, ["inbound 0.0.0.0_9080"]],
  ["a port of a service", { match: [{ mode: "CLIENT", ports: [{ number: 80 }] }] }, ["0.0.0.0_80"]],
  ["connections", { type: "NETWORK" }, ["0.0.0.0_80", "10.1.0.1_90", ...inbound, ...bytes]],
  ["connections to a port", { type: "NETWORK", match: [{ ports: [{ number: 9090 }] }] }, ["inbound 0.0.0.0_9090"]],
])("a WasmPlugin for %s is in these listeners of a sidecar", (_, spec, places) => {
  expect(placesOf("sidecar", { url, ...spec }).toSorted()).toEqual(places.toSorted());
});

test.each<[string, object, readonly string[]]>([
  ["all traffic", {}, ["0.0.0.0_8080"]],
  ["server traffic", { match: [{ mode: "SERVER" }] }, []],
  ["client traffic", { match: [{ mode: "CLIENT" }] }, ["0.0.0.0_8080"]],
  ["another port", { match: [{ ports: [{ number: 80 }] }] }, []],
])("a WasmPlugin for %s is in these listeners of a gateway", (_, spec, places) => {
  expect(placesOf("router", { url, ...spec })).toEqual(places);
});
