import type { Metrics } from "../../admin/metrics/metrics.ts";
import { keyOf } from "../../pilot/model/config-id.ts";
import type { PatchReport } from "../../pilot/xds/patch-effects.ts";
import { countBy } from "./count-by.ts";

/** @param reports as they are known now */
export function installPatchGauges(
  metrics: Metrics,
  reports: () => readonly Pick<PatchReport, "owner" | "applyTo" | "status">[],
): void {
  metrics.observe({
    type: "gauge",
    name: "pilot_envoy_filter_status",
    help: "Patches of EnvoyFilters, by filter, applyTo and result: matched, not matched or invalid.",
    labels: ["name", "type", "result"],
    values: () =>
      countBy(reports(), ({ owner, applyTo, status }) => JSON.stringify([keyOf(owner), applyTo, status])).map(
        ([key, count]) => {
          const [name = "", type = "", result = ""] = JSON.parse(key) as readonly string[];
          return [{ name, type, result }, count];
        },
      ),
  });
}
