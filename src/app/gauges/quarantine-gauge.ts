import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { PilotState } from "../../admin/state.ts";
import { kindNameOf } from "../../pilot/model/config-id.ts";
import { countBy } from "./count-by.ts";

/** Objects in quarantine, by kind. An object that several classes refuse counts once. */
export function installQuarantineGauge(metrics: Metrics, { quarantine }: Pick<PilotState, "quarantine">): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_quarantine_objects",
    help: "Objects that are kept away from a class of proxies now, by kind.",
    labels: ["kind"],
    values: () => {
      const ids = new Set(quarantine()?.refusals.map(({ id }) => id));
      return countBy(ids, kindNameOf).map(([kind, count]) => [{ kind }, count]);
    },
  });
}
