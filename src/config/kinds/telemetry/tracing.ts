import type { Tracing, Tracing_CustomTag } from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, type Finding } from "../../finding.ts";
import { percentage } from "../../rules/amount.ts";
import { someText } from "../../rules/text.ts";

export function tracing({ randomSamplingPercentage, customTags }: Tracing, path: string): readonly Finding[] {
  return [
    ...percentage(randomSamplingPercentage, `${path}.randomSamplingPercentage`),
    ...Object.entries(customTags).flatMap(([name, tag]) => customTag(tag, fieldPath(path, "customTags", name))),
  ];
}

function customTag({ type }: Tracing_CustomTag, path: string): readonly Finding[] {
  switch (type.case) {
    case "literal":
      return someText(type.value.value, `${path}.literal.value`, "the value of a tag");
    case "formatter":
      return someText(type.value.value, `${path}.formatter.value`, "the format of a tag");
    case "environment":
      return someText(type.value.name, `${path}.environment.name`, "the name of a variable");
    case "header":
      return someText(type.value.name, `${path}.header.name`, "the name of a header");
    case undefined:
    default:
      return [error(path, { code: "missing-value", message: "a tag needs literal, environment, header or formatter" })];
  }
}
