import type { AccessLogRule, Telemetry, WorkloadMode } from "../policy/telemetry.ts";

/** The rules about one provider of access logs, merged. */
export interface LogChoice {
  readonly provider: string;
  readonly disabled: boolean;
  /** A CEL expression. Undefined to log everything. */
  readonly filter: string | undefined;
}

/**
 * The providers of access logs for one side of a workload. Each Telemetry that names providers replaces those of the
 * Telemetry objects before it. A rule without providers concerns the providers of the rule before it.
 */
export function effectiveLogs(
  telemetries: readonly Telemetry[],
  defaultProviders: readonly string[],
  mode: WorkloadMode,
): readonly LogChoice[] {
  const levels = telemetries.map(({ accessLogs }) => accessLogs).filter((rules) => rules.length > 0);
  if (levels.length === 0)
    return defaultProviders.map((provider) => ({ provider, disabled: false, filter: undefined }));
  const inForce = providersInForce(levels, defaultProviders, mode);
  const filters = filtersOf(levels.flat(), mode);
  const choices = new Map<string, LogChoice>();
  let providers = defaultProviders;
  for (const rule of levels.flat()) {
    if (rule.providers.length > 0) providers = rule.providers;
    if (!concerns(rule, mode)) continue;
    for (const provider of providers.filter((name) => inForce.has(name))) {
      const { disabled } = rule;
      choices.set(provider, { provider, disabled, filter: disabled ? undefined : filters.get(provider) });
    }
  }
  return [...choices.values()];
}

/** The providers of the last Telemetry that names some. */
function providersInForce(
  levels: readonly (readonly AccessLogRule[])[],
  defaultProviders: readonly string[],
  mode: WorkloadMode,
): ReadonlySet<string> {
  const named = levels
    .map((rules) => rules.filter((rule) => concerns(rule, mode)).flatMap(({ providers }) => providers))
    .findLast((providers) => providers.length > 0);
  return new Set(named ?? defaultProviders);
}

/** By provider: the filter of the last rule that names it. */
function filtersOf(rules: readonly AccessLogRule[], mode: WorkloadMode): ReadonlyMap<string, string | undefined> {
  return new Map(
    rules
      .filter((rule) => concerns(rule, mode))
      .flatMap(({ providers, filter }) => providers.map((name) => [name, filter] as const)),
  );
}

function concerns({ mode }: AccessLogRule, side: WorkloadMode): boolean {
  return mode === undefined || mode === side;
}
