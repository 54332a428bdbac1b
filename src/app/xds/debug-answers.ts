import { hostname } from "node:os";
import { DebugAnswers } from "../../admin/debug-xds/debug-answers.ts";
import type { Route } from "../../admin/route.ts";
import { viewerAt } from "../../admin/viewer-at.ts";
import type { Access } from "../access.ts";
import type { Pilot } from "../build-pilot.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";

export interface DebugAnswersParts extends Pick<Pilot, "discovery" | "environment"> {
  readonly access: Pick<Access, "isOperator">;
  readonly pages: readonly Route[];
}

/** Answers the debug requests of `istioctl` over xDS with the content of the debug pages. */
export function debugAnswers(
  { clock, logs, supervisor, version }: Pick<ProcessContext, "clock" | "logs" | "supervisor" | "version">,
  { access, pages, ...pilot }: DebugAnswersParts,
): DebugAnswers {
  return new DebugAnswers({
    state: pilotStateOf({ ...pilot, clock }),
    pages,
    viewerOf: (peer) => viewerAt(peer, access.isOperator),
    instance: { id: hostname(), version },
    logger: logs.logger("xds"),
    onFailure: supervisor.reporterFor("pages"),
  });
}
