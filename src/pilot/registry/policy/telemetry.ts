import {
  type MetricSelector,
  MetricSelector_IstioMetric as IstioMetric,
  type AccessLogging as IstioAccessLogging,
  type Telemetry as IstioTelemetry,
  type Tracing as IstioTracing,
  type Metrics,
  type MetricsOverrides,
  MetricsOverrides_TagOverride_Operation as Operation,
  type ProviderRef,
  type Tracing_CustomTag,
  WorkloadMode as Mode,
} from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import type { Config } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { durationOf } from "../../model/duration.ts";
import type {
  AccessLogRule,
  MetricsOverride,
  MetricsRule,
  Telemetry,
  TracingRule,
  WorkloadMode,
} from "../../model/policy/telemetry.ts";
import type { TraceTag } from "../../model/proxy/proxy-settings.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function telemetryOf(config: Config<IstioTelemetry>): Telemetry {
  const { accessLogging, tracing, metrics } = config.spec;
  return {
    ...workloadPolicyOf(config),
    accessLogs: accessLogging.map(accessLogRuleOf),
    traces: tracing.map(tracingRuleOf),
    metrics: metrics.map(metricsRuleOf),
  };
}

function accessLogRuleOf({ providers, match, disabled, filter }: IstioAccessLogging): AccessLogRule {
  return {
    providers: namesOf(providers),
    mode: match === undefined ? undefined : modes[match.mode],
    disabled: disabled ?? false,
    filter: filter?.expression,
  };
}

function tracingRuleOf(rule: IstioTracing): TracingRule {
  const tags = Object.entries(rule.customTags).toSorted(([a], [b]) => compareTexts(a, b));
  return {
    providers: namesOf(rule.providers),
    mode: rule.match === undefined ? undefined : modes[rule.match.mode],
    disabled: rule.disableSpanReporting,
    sampling: rule.randomSamplingPercentage,
    tags: tags.length === 0 ? undefined : tags.flatMap(([name, tag]) => traceTagOf(name, tag) ?? []),
    istioTags: rule.enableIstioTags,
    samplesByRequestId: rule.useRequestIdForTraceSampling,
    hidesContext: rule.disableContextPropagation,
  };
}

/** Undefined for a tag without a value. */
function traceTagOf(name: string, { type }: Tracing_CustomTag): TraceTag | undefined {
  switch (type.case) {
    case "literal":
      return { name, type: "literal", value: type.value.value };
    case "environment":
      return { name, type: "environment", variable: type.value.name, otherwise: type.value.defaultValue };
    case "header":
      return { name, type: "header", header: type.value.name, otherwise: type.value.defaultValue };
    case "formatter":
      return { name, type: "format", format: type.value.value };
    case undefined:
    default:
      return undefined;
  }
}

function metricsRuleOf({ providers, overrides, reportingInterval }: Metrics): MetricsRule {
  return {
    providers: namesOf(providers),
    overrides: overrides.map(overrideOf),
    reportingInterval: durationOf(reportingInterval),
  };
}

function overrideOf({ match, disabled, tagOverrides }: MetricsOverrides): MetricsOverride {
  const tags = Object.entries(tagOverrides).toSorted(([a], [b]) => compareTexts(a, b));
  return {
    metric: metricOf(match),
    mode: match === undefined ? undefined : modes[match.mode],
    disabled,
    tags: tags.map(([tag, { operation, value }]) => [tag, operation === Operation.REMOVE ? undefined : value]),
  };
}

/** Undefined for all metrics. */
function metricOf(match: MetricSelector | undefined): string | undefined {
  const { case: kind, value } = match?.metricMatch ?? { case: undefined };
  if (kind === "customMetric") return value;
  return kind === undefined || value === IstioMetric.ALL_METRICS ? undefined : IstioMetric[value];
}

const modes: Readonly<Record<Mode, WorkloadMode | undefined>> = {
  [Mode.CLIENT_AND_SERVER]: undefined,
  [Mode.CLIENT]: "client",
  [Mode.SERVER]: "server",
};

function namesOf(providers: readonly ProviderRef[]): readonly string[] {
  return providers.map(({ name }) => name);
}
