import { analysisPage } from "../../admin/galley/analysis.ts";
import { installAnalysisGauges } from "../gauges/analysis-gauges.ts";
import { type Analysed, statusDuties } from "../kube/status/status-duty.ts";
import { component } from "../process/lifecycle.ts";
import type { Ground, Part } from "./part.ts";

/** What is wrong with the mesh as a whole, for those who ask, and in the objects themselves. Nobody waits for it. */
export function analysisPart(ground: Ground, analysed: Analysed): Part {
  const { analysis, processor } = analysed;
  installAnalysisGauges(ground.metrics, () => analysis.state);
  return {
    components: [
      component("analysis", { start: () => {}, stop: () => analysis.stop() }),
      ...statusDuties(ground, analysed),
    ],
    emitter: { name: "analysis", awaited: () => [] },
    pages: [
      analysisPage({
        analysis: () => analysis.state,
        issues: () => [...processor.issues.values()].flatMap(({ issues }) => issues),
      }),
    ],
  };
}
