import { telemetry } from "../../../kinds/telemetry.ts";
import type { AnalysisInput, Analyzer } from "../../analyzer.ts";
import { type PlacedSelector, reportDefaults, reportSelectors } from "../../facts/selectors.ts";
import { workloadKinds } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

export const selector: Analyzer = {
  name: "telemetry.SelectorAnalyzer",
  description: "Telemetries that select nothing, or the same workloads as others",
  inputs: [telemetry, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    reportSelectors(selectorsOf(context), context, messages.conflictingTelemetrySelectors);
  },
};

export const defaultSelector: Analyzer = {
  name: "telemetry.DefaultSelectorAnalyzer",
  description: "Several Telemetries for a whole namespace",
  inputs: [telemetry],
  analyze(context) {
    reportDefaults(selectorsOf(context), context, messages.multipleTelemetriesWithoutSelector);
  },
};

function selectorsOf(input: AnalysisInput): readonly PlacedSelector[] {
  const selecting = input.all(telemetry).filter(({ spec }) => !spec.targetRef && spec.targetRefs.length === 0);
  return selecting.map((config) => ({
    config,
    labels: config.spec.selector?.matchLabels ?? {},
    path: "spec.selector.matchLabels",
  }));
}
