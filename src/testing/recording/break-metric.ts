import type { Metrics } from "../../admin/metrics/metrics.ts";

function fail(): never {
  throw new Error("planted");
}

/** From now on, the metric throws whenever something is counted or measured. */
export function breakMetric({ registry }: Metrics, name: string): void {
  const metric = registry.getSingleMetric(name);
  if (metric === undefined) throw new Error(`there is no metric ${name}`);
  Object.assign(metric, { inc: fail, observe: fail });
}
