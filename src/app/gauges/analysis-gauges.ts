import type { Metrics } from "../../admin/metrics/metrics.ts";
import { levels } from "../../config/analysis/message.ts";
import type { AnalysisState } from "../analysis/analysis.ts";
import { countBy } from "./count-by.ts";

/** Installs gauges for the findings of the last analysis and the number of analyses. */
export function installAnalysisGauges(metrics: Metrics, state: () => AnalysisState): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_analysis_messages",
    help: "What the last analysis of the whole mesh found.",
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
    help: "Analyses that came to their end, and those that newer configuration called off.",
    labels: ["result"],
    values: () => [
      [{ result: "finished" }, state().finished],
      [{ result: "cancelled" }, state().cancelled],
    ],
  });
}
