import { type TrafficExtension, TrafficExtensionSchema } from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import { error, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { attachment } from "../rules/attachment.ts";
import { trafficPorts } from "../rules/port.ts";
import { shortText, someText } from "../rules/text.ts";
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

/** Istio's limit in bytes. */
const maxCode = 65_536;

function filter({ filterConfig: { case: language, value } }: TrafficExtension): readonly Finding[] {
  if (language === "wasm") return wasmModule(value, "spec.wasm");
  if (language === "lua") {
    const path = "spec.lua.inlineCode";
    return [
      ...someText(value.inlineCode, path, "the code of the filter"),
      ...shortText(value.inlineCode, path, maxCode),
    ];
  }
  return [error("spec", { code: "missing-value", message: "a TrafficExtension needs wasm or lua" })];
}
