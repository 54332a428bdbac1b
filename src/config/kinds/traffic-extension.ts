import { type TrafficExtension, TrafficExtensionSchema } from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import { error, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { attachment } from "../rules/attachment.ts";
import { trafficPorts } from "../rules/port.ts";
import { someText } from "../rules/text.ts";
import { wasmModule } from "../rules/wasm.ts";

export const trafficExtension: Kind<typeof TrafficExtensionSchema> = {
  kind: "TrafficExtension",
  group: "extensions.istio.io",
  versions: ["v1alpha1"],
  plural: "trafficextensions",
  scope: "namespace",
  collection: "k8s/extensions.istio.io/v1alpha1/trafficextensions",
  schema: TrafficExtensionSchema,
  validate: ({ spec }) => [...attachment(spec), ...filter(spec), ...trafficPorts(spec.match, "spec.match")],
};

function filter({ filterConfig: { case: language, value } }: TrafficExtension): readonly Finding[] {
  if (language === "wasm") return wasmModule(value, "spec.wasm");
  if (language === "lua") return someText(value.inlineCode, "spec.lua.inlineCode", "the code of the filter");
  return [error("spec", { code: "missing-value", message: "a TrafficExtension needs wasm or lua" })];
}
