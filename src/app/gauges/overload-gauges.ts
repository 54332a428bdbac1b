import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { Overload } from "../../lib/overload/overload.ts";
import { loadLevels, resourceNames, resources } from "../../lib/overload/pressure.ts";

/** Installs the metrics of the load of the process. */
export function installOverloadGauges(metrics: Metrics, overload: Overload): void {
  metrics.gauge(
    "binnacle_overload_level",
    "Load of the server: 0 is normal, 1 elevated, 2 high, 3 critical. From 2 on, new streams are refused.",
    () => loadLevels.indexOf(overload.level),
  );
  metrics.observe({
    type: "gauge",
    name: "binnacle_pressure",
    help: "Use of a scarce resource. At 1 the load is critical.",
    labels: ["resource"],
    values: () => {
      const { pressure } = overload;
      if (pressure === undefined) return [];
      return resourceNames.map((resource) => {
        const { measure, thresholds } = resources[resource];
        return [{ resource }, measure(pressure) / thresholds[2]] as const;
      });
    },
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_shed_work_total",
    help: "Work that was delayed or refused because of the load, by class.",
    labels: ["class"],
    values: () => Array.from(overload.shedCounts, ([work, count]) => [{ class: work }, count] as const),
  });
}
