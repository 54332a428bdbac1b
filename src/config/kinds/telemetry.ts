import {
  type Metrics,
  type MetricsOverrides,
  type MetricsOverrides_TagOverride,
  MetricsOverrides_TagOverride_Operation as Operation,
  type ProviderRef,
  TelemetrySchema,
  type Tracing,
  type Tracing_CustomTag,
} from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { percentage, positiveDuration } from "../rules/amount.ts";
import { attachment } from "../rules/attachment.ts";
import { celExpression } from "../rules/cel.ts";
import { someText } from "../rules/text.ts";

export const telemetry: Kind<typeof TelemetrySchema> = {
  kind: "Telemetry",
  group: "telemetry.istio.io",
  versions: ["v1", "v1alpha1"],
  plural: "telemetries",
  scope: "namespace",
  collection: "k8s/telemetry.istio.io/v1alpha1/telemetries",
  schema: TelemetrySchema,
  validate: ({ spec }) => [
    ...attachment(spec),
    ...spec.metrics.flatMap((value, index) => metrics(value, fieldPath("spec.metrics", index))),
    ...spec.tracing.flatMap((value, index) => tracing(value, fieldPath("spec.tracing", index))),
    ...spec.accessLogging.flatMap(({ filter }, index) =>
      filter === undefined
        ? []
        : celExpression(filter.expression, fieldPath("spec.accessLogging", index, "filter", "expression")),
    ),
    ...(["metrics", "tracing", "accessLogging"] as const).flatMap((part) =>
      spec[part].flatMap(({ providers }, index) => named(providers, fieldPath("spec", part, index, "providers"))),
    ),
  ],
};

function named(providers: readonly ProviderRef[], path: string): readonly Finding[] {
  return providers.flatMap(({ name }, index) =>
    someText(name, fieldPath(path, index, "name"), "the name of a provider"),
  );
}

function metrics({ overrides, reportingInterval }: Metrics, path: string): readonly Finding[] {
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

function tracing({ randomSamplingPercentage, customTags }: Tracing, path: string): readonly Finding[] {
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
