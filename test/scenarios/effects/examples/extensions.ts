import type { WrittenObject } from "../../../../src/testing/mesh/written-objects.ts";
import type { Example } from "../proof.ts";
import { apiRouter, caller, object, service, workload } from "./context.ts";

const selector = { matchLabels: { app: "reviews" } };
const place = { match: [{ mode: "SERVER", ports: [{ number: 8080 }] }], phase: "AUTHN", priority: 5 };
const targetRef = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };
const module = {
  url: "oci://hub.example.com/a",
  sha256: "ab".repeat(32),
  imagePullPolicy: "IfNotPresent",
  imagePullSecret: "secret",
  verificationKey: "key",
  pluginConfig: { a: "b" },
  pluginName: "a",
  failStrategy: "FAIL_OPEN",
  type: "HTTP",
};

function extension(kind: string, name: string, spec: object): WrittenObject {
  return { apiVersion: "extensions.istio.io/v1alpha1", kind, metadata: { name, namespace: "shop" }, spec };
}

/** Neighbours of a lower and of a higher priority, so that the priority decides about the order. */
const around = [
  service("reviews"),
  object("Gateway", "edge", {
    selector: { "gateway.networking.k8s.io/gateway-name": "edge" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
  ...[1, 9].map((priority) =>
    extension("WasmPlugin", `priority-${priority}`, { selector, url: "file:///a.wasm", phase: "AUTHN", priority }),
  ),
];

function example(kind: string, spec: object): Example {
  return { subject: extension(kind, "example", spec), around, clients: [workload("reviews"), caller, apiRouter] };
}

export const extensions: readonly Example[] = [
  example("WasmPlugin", { selector, ...module, vmConfig: { env: [{ name: "A", value: "b" }] }, ...place }),
  example("WasmPlugin", { url: module.url, vmConfig: { env: [{ name: "A", valueFrom: "HOST" }] } }),
  example("WasmPlugin", { targetRef, url: module.url }),
  example("WasmPlugin", { targetRefs: [targetRef], url: module.url }),
  example("TrafficExtension", {
    selector,
    wasm: { ...module, vmConfig: { env: [{ name: "A", value: "b" }] } },
    ...place,
  }),
  example("TrafficExtension", { wasm: { url: module.url, vmConfig: { env: [{ name: "A", valueFrom: "HOST" }] } } }),
  example("TrafficExtension", { lua: { inlineCode: "-- a" } }),
  example("TrafficExtension", { targetRefs: [targetRef], wasm: module }),
];
