import type { Telemetry, TracingRule, WorkloadMode } from "../policy/telemetry.ts";
import type { TraceTag } from "../proxy/proxy-settings.ts";

/** The traces that one side of a workload sends. */
export interface TracingChoice {
  /** The name of a provider; undefined without one. */
  readonly provider: string | undefined;
  readonly disabled: boolean;
  /** Undefined to use the proxy settings. */
  readonly sampling: number | undefined;
  /** Undefined to use the proxy settings. */
  readonly tags: readonly TraceTag[] | undefined;
  readonly istioTags: boolean;
  readonly samplesByRequestId: boolean;
  readonly hidesContext: boolean;
}

/** Merges the rules, the last value of each field first. Undefined if only the MeshConfig decides about traces. */
export function effectiveTracing(
  telemetries: readonly Telemetry[],
  defaultProviders: readonly string[],
  mode: WorkloadMode,
): TracingChoice | undefined {
  const rules = telemetries.flatMap(({ traces }) => traces);
  if (rules.length === 0 && defaultProviders.length === 0) return undefined;
  const own = rules.filter((rule) => rule.mode === undefined || rule.mode === mode);
  const provider = own.findLast(({ providers }) => providers.length > 0)?.providers[0] ?? defaultProviders[0];
  return {
    provider,
    disabled: lastOf(own, "disabled") ?? false,
    sampling: lastOf(own, "sampling"),
    tags: lastOf(own, "tags"),
    istioTags: lastOf(own, "istioTags") ?? true,
    samplesByRequestId: lastOf(own, "samplesByRequestId") ?? true,
    hidesContext: lastOf(own, "hidesContext") ?? false,
  };
}

function lastOf<Field extends keyof TracingRule>(
  rules: readonly TracingRule[],
  field: Field,
): TracingRule[Field] | undefined {
  return rules.findLast((rule) => rule[field] !== undefined)?.[field];
}
