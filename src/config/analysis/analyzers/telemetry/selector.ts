import { telemetry } from "../../../kinds/telemetry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { reportSelectors } from "../../facts/selectors.ts";
import { workloadKinds } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

export const selector: Analyzer = {
  name: "telemetry.SelectorAnalyzer",
  description: "Telemetries that select nothing, or the same workloads as others",
  inputs: [telemetry, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    const selecting = context.all(telemetry).filter(({ spec }) => !spec.targetRef && spec.targetRefs.length === 0);
    const selectors = selecting.map((config) => ({
      config,
      labels: config.spec.selector?.matchLabels ?? {},
      path: "spec.selector.matchLabels",
    }));
    reportSelectors(selectors, context, {
      conflict: messages.conflictingTelemetrySelectors,
      severalWithout: messages.multipleTelemetriesWithoutSelector,
    });
  },
};
