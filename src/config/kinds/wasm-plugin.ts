import { WasmPluginSchema } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import type { Kind } from "../kind.ts";
import { attachment } from "../rules/attachment.ts";
import { trafficPorts } from "../rules/port.ts";
import { wasmModule } from "../rules/wasm.ts";

export const wasmPlugin: Kind<typeof WasmPluginSchema> = {
  kind: "WasmPlugin",
  group: "extensions.istio.io",
  versions: ["v1alpha1"],
  plural: "wasmplugins",
  scope: "namespace",
  collection: "k8s/extensions.istio.io/v1alpha1/wasmplugins",
  schema: WasmPluginSchema,
  validate: ({ spec }) => [...attachment(spec), ...wasmModule(spec, "spec"), ...trafficPorts(spec.match, "spec.match")],
};
