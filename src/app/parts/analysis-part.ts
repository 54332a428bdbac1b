import { analysisPage } from "../../admin/galley/analysis.ts";
import type { Message } from "../../config/analysis/message.ts";
import { installAnalysisGauges } from "../gauges/analysis-gauges.ts";
import { type Analysed, statusDuties } from "../kube/status/status-duty.ts";
import { component } from "../process/lifecycle.ts";
import type { ProcessPart, ProcessContext } from "./process-part.ts";

/** The analysis, and where it finds what is wrong with the running server. */
interface AnalysisPartOptions extends Analysed {
  readonly live?: () => readonly Message[];
}

/** Analyzes the whole mesh, for the pages and for the status of objects. No push waits for it. */
export function analysisPart(context: ProcessContext, analysed: AnalysisPartOptions): ProcessPart {
  const { analysis, processor, live } = analysed;
  installAnalysisGauges(context.metrics, () => analysis.state);
  return {
    components: [
      component("analysis", { start: () => {}, stop: () => analysis.stop() }),
      ...statusDuties(context, analysed),
    ],
    emitter: { name: "analysis", awaited: () => [] },
    pages: [
      analysisPage({
        analysis: () => analysis.state,
        issues: () => [...processor.issues.values()].flatMap(({ issues }) => issues),
        ...(live && { live }),
      }),
    ],
  };
}
