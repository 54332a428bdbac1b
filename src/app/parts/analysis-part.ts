import { analysisPage } from "../../admin/analysis.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import type { Analysis } from "../analysis.ts";
import { installAnalysisGauges } from "../analysis-gauges.ts";
import { component } from "../lifecycle.ts";
import type { Ground, Part } from "./part.ts";

export interface AnalysisPartOptions {
  readonly analysis: Analysis;
  readonly processor: Processor;
}

/** What is wrong with the mesh as a whole, for those who ask. Nobody waits for it. */
export function analysisPart({ metrics }: Ground, { analysis, processor }: AnalysisPartOptions): Part {
  installAnalysisGauges(metrics, () => analysis.state);
  return {
    components: [component("analysis", { start: () => {}, stop: () => analysis.stop() })],
    emitter: { name: "analysis", awaited: () => [] },
    pages: [
      analysisPage({
        analysis: () => analysis.state,
        issues: () => [...processor.issues.values()].flatMap(({ issues }) => issues),
      }),
    ],
    topics: [],
    graphs: new Map(),
  };
}
