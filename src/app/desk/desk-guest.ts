import { join } from "node:path";
import type { GuestServer } from "../../admin/guest-server.ts";
import type { Message } from "../../config/analysis/message.ts";
import type { DeskState } from "../../desk/api/desk-state.ts";
import { apiEndpoints } from "../../desk/api/endpoints.ts";
import { EventHub } from "../../desk/events/event-hub.ts";
import { DeskFiles } from "../../desk/http/desk-files.ts";
import { DeskServer } from "../../desk/http/desk-server.ts";
import type { Journal } from "../../desk/journal/journal.ts";
import type { Access } from "../access.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { Pipeline } from "../pipeline.ts";
import { packageRoot, readBuild } from "../process/version.ts";
import { type SourceFacts, sourceReports } from "../sources/source-reports.ts";

/** Where the desk gets its data from, beside the journal. */
export interface DeskOptions extends Pick<SourceFacts, "sources" | "watch" | "ledgers"> {
  readonly pipeline: Pick<Pipeline, "discovery" | "environment" | "processor" | "galley">;
  readonly analysis: Analysis;
  readonly live: () => readonly Message[];
  readonly access: Access;
}

/** Builds the server of the desk. Set-up builds its pages into `gen/desk`, which is part of the package. */
export function deskGuest(
  { clock, logs, supervisor }: ProcessContext,
  journal: Journal,
  options: DeskOptions,
): { readonly guest: GuestServer; readonly hub: EventHub } {
  const { analysis, access } = options;
  const { galley } = options.pipeline;
  const state = deskState(clock, journal, options);
  const own = supervisor.clockFor("desk");
  const hub = new EventHub(state, own);
  analysis.onReport(supervisor.guard("desk", () => hub.touch("configuration", "overview")));
  galley.onCommit(supervisor.guard("desk", () => hub.touch("configuration", "overview")));
  const guest = new DeskServer({
    state,
    endpoints: apiEndpoints(state),
    hub,
    files: new DeskFiles(join(packageRoot, "gen/desk")),
    viewers: access.viewers,
    clock: own,
    timeOf: state.timeOf,
    logger: logs.logger("server"),
  });
  return { guest, hub };
}

function deskState(clock: ProcessContext["clock"], journal: Journal, options: DeskOptions): DeskState {
  const { pipeline, analysis, live, sources, watch, ledgers } = options;
  const { processor } = pipeline;
  const { version, commit } = readBuild();
  return {
    ...pilotStateOf({ ...pipeline, clock }),
    configs: processor.outputs,
    sources: () => sourceReports({ processor, sources, watch, ledgers, clock }),
    clashes: () => processor.clashes(),
    journal,
    server: { version, commit, start: journal.start, startedAt: new Date().toISOString() },
    findings: {
      analysis: () => analysis.state,
      issues: () => [...processor.issues.values()].flatMap(({ issues }) => issues),
      live,
    },
    now: () => new Date(),
  };
}
