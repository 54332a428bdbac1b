import { compareTexts } from "../../../lib/compare.ts";
import type { Duration } from "../duration.ts";
import type { MetricsOverride, Telemetry, WorkloadMode } from "../policy/telemetry.ts";

/** The metrics that one side of a workload reports to one provider. */
export interface MetricsChoice {
  readonly provider: string;
  readonly reportingInterval: Duration | undefined;
  /** Changed metrics, sorted by name. */
  readonly metrics: readonly MetricChoice[];
}

export interface MetricChoice {
  readonly name: string;
  readonly dropped: boolean;
  /** CEL expressions by tag, sorted by tag. Undefined removes the tag. */
  readonly tags: readonly (readonly [tag: string, value: string | undefined])[];
}

/** The metrics of Istio. A rule for all metrics changes each of them. */
const istioMetrics = [
  "GRPC_REQUEST_MESSAGES",
  "GRPC_RESPONSE_MESSAGES",
  "REQUEST_COUNT",
  "REQUEST_DURATION",
  "REQUEST_SIZE",
  "RESPONSE_SIZE",
  "TCP_CLOSED_CONNECTIONS",
  "TCP_OPENED_CONNECTIONS",
  "TCP_RECEIVED_BYTES",
  "TCP_SENT_BYTES",
];

/**
 * The providers of metrics for one side of a workload, sorted by name. The last rule that names providers decides
 * which; all rules about these providers change their metrics, in order. A provider without any metric is left out.
 */
export function effectiveMetrics(
  telemetries: readonly Telemetry[],
  defaultProviders: readonly string[],
  mode: WorkloadMode,
): readonly MetricsChoice[] {
  const rules = telemetries.flatMap(({ metrics }) => metrics);
  const inForce = new Set(rules.findLast(({ providers }) => providers.length > 0)?.providers ?? defaultProviders);
  const merged = new Map([...inForce].map((provider) => [provider, new MergedMetrics()]));
  let providers = defaultProviders;
  for (const rule of rules) {
    if (rule.providers.length > 0) providers = rule.providers;
    for (const provider of providers) {
      const metrics = merged.get(provider);
      if (metrics === undefined) continue;
      if (rule.reportingInterval !== undefined) metrics.reportingInterval = rule.reportingInterval;
      for (const override of rule.overrides) {
        if (override.mode === undefined || override.mode === mode) metrics.apply(override);
      }
    }
  }
  return [...merged]
    .filter(([, { disabled }]) => !disabled)
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([provider, metrics]) => ({
      provider,
      reportingInterval: metrics.reportingInterval,
      metrics: metrics.choices(),
    }));
}

/** The changes of one provider's metrics so far. */
class MergedMetrics {
  reportingInterval: Duration | undefined;
  /** A rule disables all metrics, and no later one concerns any of them. */
  disabled = false;
  readonly #metrics = new Map<string, { dropped: boolean; readonly tags: Map<string, string | undefined> }>();

  apply({ metric, disabled, tags }: MetricsOverride): void {
    if (metric === undefined && disabled === true) {
      this.disabled = true;
      return;
    }
    this.disabled = false;
    for (const name of metric === undefined ? istioMetrics : [metric]) {
      const merged = this.#metrics.get(name) ?? { dropped: false, tags: new Map<string, string | undefined>() };
      if (disabled !== undefined) merged.dropped = disabled;
      for (const [tag, value] of tags) merged.tags.set(tag, value);
      this.#metrics.set(name, merged);
    }
  }

  choices(): readonly MetricChoice[] {
    return [...this.#metrics]
      .toSorted(([a], [b]) => compareTexts(a, b))
      .map(([name, { dropped, tags }]) => ({
        name,
        dropped,
        tags: [...tags].toSorted(([a], [b]) => compareTexts(a, b)),
      }));
  }
}
