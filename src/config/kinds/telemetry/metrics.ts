import {
  type Metrics,
  type MetricsOverrides,
  type MetricsOverrides_TagOverride,
  MetricsOverrides_TagOverride_Operation as Operation,
} from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { positiveDuration } from "../../rules/amount.ts";
import { someText } from "../../rules/text.ts";

export function metrics({ overrides, reportingInterval }: Metrics, path: string): readonly Finding[] {
  return [
    ...overrides.flatMap((value, index) => override(value, fieldPath(path, "overrides", index))),
    ...positiveDuration(reportingInterval, `${path}.reportingInterval`),
  ];
}

function override({ match, tagOverrides }: MetricsOverrides, path: string): readonly Finding[] {
  const metric = match?.metricMatch;
  return [
    ...(metric?.case === "customMetric"
      ? someText(metric.value, `${path}.match.customMetric`, "the name of a metric")
      : []),
    ...Object.entries(tagOverrides).flatMap(([tag, value]) => tagOverride(value, fieldPath(path, "tagOverrides", tag))),
  ];
}

function tagOverride({ operation, value }: MetricsOverrides_TagOverride, path: string): readonly Finding[] {
  if (operation === Operation.UPSERT) return someText(value, `${path}.value`, "the value of a tag that is set");
  return errorUnless(value === "", `${path}.value`, {
    code: "conflicting-fields",
    message: "a tag that is removed has no value",
  });
}
