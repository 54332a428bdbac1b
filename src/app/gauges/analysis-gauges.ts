import type { Metrics } from "../../admin/metrics/metrics.ts";
import { levels } from "../../config/analysis/message.ts";
import type { AnalysisState } from "../analysis/analysis.ts";
import { countBy } from "./count-by.ts";

/** Installs gauges for the findings of the last analysis and the number of analyses. */
export function installAnalysisGauges(metrics: Metrics, state: () => AnalysisState): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_analysis_messages",
    help: "Messages of the last analysis of the mesh, by level.",
    labels: ["level"],
    values: () =>
      countBy(state().report?.messages ?? [], ({ type }) => type.level, levels).map(([level, count]) => [
        { level },
        count,
      ]),
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_analyses_total",
    help: "Analyses of the mesh: finished ones, and ones that newer configuration cancelled.",
    labels: ["result"],
    values: () => [
      [{ result: "finished" }, state().finished],
      [{ result: "cancelled" }, state().cancelled],
    ],
  });
}
