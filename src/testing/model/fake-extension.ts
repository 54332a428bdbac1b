import { configId } from "../../config/config.ts";
import type { Extension, WasmModule } from "../../pilot/model/policy/extension.ts";

/** A module from a file that handles requests. */
export function fakeModule(changes: Partial<WasmModule> = {}): WasmModule {
  return {
    type: "wasm",
    layer: "http",
    code: { type: "file", path: "/opt/one.wasm" },
    pull: { policy: undefined, secret: undefined, version: "" },
    configuration: undefined,
    rootId: "",
    failStrategy: "close",
    environment: {},
    hostVariables: [],
    ...changes,
  };
}

/** An extension of all traffic of the namespace `shop`, without a phase. */
export function fakeExtension(name: string, changes: Partial<Extension> = {}): Extension {
  const namespace = changes.namespace ?? "shop";
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("WasmPlugin", namespace, name),
    selector: undefined,
    targets: [],
    resourceName: `extensions.istio.io/wasmplugin/${namespace}.${name}`,
    phase: "unspecified",
    priority: undefined,
    match: [],
    filter: fakeModule(),
    ...changes,
  };
}
