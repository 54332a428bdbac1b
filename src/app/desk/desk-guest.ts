import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { GuestServer } from "../../admin/guest-server.ts";
import type { View } from "../../collection/collection.ts";
import type { Message } from "../../config/analysis/message.ts";
import type { Issue } from "../../config/issue.ts";
import type { DeskState } from "../../desk/api/desk-state.ts";
import { apiEndpoints } from "../../desk/api/endpoints.ts";
import { EventHub } from "../../desk/events/event-hub.ts";
import { DeskFiles } from "../../desk/http/desk-files.ts";
import { DeskServer } from "../../desk/http/desk-server.ts";
import { WhatIfGate } from "../../desk/explain/what-if-gate.ts";
import { WhatIfMesh } from "../../desk/explain/what-if-mesh.ts";
import type { Journal } from "../../desk/journal/journal.ts";
import type { SourceIssues } from "../../galley/processor/feed.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import { readText } from "../../galley/source/file/file-read.ts";
import { oncePer } from "../../lib/memo.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { Access } from "../access.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { type ControlPlaneParts, controlPlaneState } from "./control-plane-state.ts";
import { historyReader } from "../history/history-reader.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { Pipeline } from "../pipeline.ts";
import { packageRoot, readBuild } from "../process/version.ts";
import { type SourceFacts, sourceReports } from "../sources/source-reports.ts";

/** Where the desk gets its data from, beside the journal. */
export interface DeskOptions extends Pick<SourceFacts, "sources" | "watch" | "ledgers">, Pick<ControlPlaneParts, "ca"> {
  readonly pipeline: Pick<Pipeline, "discovery" | "environment" | "processor" | "galley" | "settings">;
  readonly analysis: Analysis;
  readonly live: () => readonly Message[];
  readonly access: Access;
}

/** Builds the server of the desk. Set-up builds its pages into `gen/desk`, which is part of the package. */
export function deskGuest(
  context: ProcessContext,
  journal: Journal,
  options: DeskOptions,
): { readonly guest: GuestServer; readonly hub: EventHub } {
  const { clock, logs, supervisor, load } = context;
  const { analysis, access } = options;
  const { galley } = options.pipeline;
  const own = supervisor.clockFor("desk");
  const gate = new WhatIfGate(load.overload);
  const mesh = new WhatIfMesh({ ...options.pipeline, clock: own, turn: createTurn(clock) });
  const whatIf = { mesh, enter: () => gate.enter() };
  const facts = deskState(context, journal, options, () => ({ desks: hub.readers, slowDesks: hub.slowReaders }));
  const state = { ...facts, whatIf };
  const hub = new EventHub(state, own);
  analysis.onReport(supervisor.guard("desk", () => hub.touch("configuration", "overview")));
  galley.onCommit(supervisor.guard("desk", () => hub.touch("configuration", "overview")));
  options.pipeline.discovery.rollouts?.onChanged(supervisor.guard("desk", () => hub.touch("rollouts")));
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

function deskState(
  context: ProcessContext,
  journal: Journal,
  facts: DeskOptions,
  desks: ControlPlaneParts["desks"],
): Omit<DeskState, "whatIf"> {
  const { clock, options } = context;
  const { pipeline, analysis, live, sources, watch, ledgers } = facts;
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
      issues: () => issuesIn(processor.issues.snapshot()),
      live,
    },
    controlPlane: controlPlaneState(context, { discovery: pipeline.discovery, ca: facts.ca, desks }),
    objects: processor,
    rollouts: pipeline.discovery.rollouts,
    history: options.history === "off" ? undefined : historyReader(options.history),
    newestText: (file) => newestText(file, processor),
    turn: createTurn(clock),
    now: () => new Date(),
  };
}

/** The same list while the issues stay the same. */
const issuesIn = oncePer((view: View<SourceIssues>): readonly Issue[] =>
  [...view.values()].flatMap(({ issues }) => issues),
);

/** The text of a larger file is not searched for an object. Its issues still name the line. */
const maxShownBytes = 1024 * 1024;

/** Reads only files in which a source of files has found issues: other places are keys and addresses. */
async function newestText(file: string, { issues }: Pick<Processor, "issues">): Promise<string | undefined> {
  const isFile = [...issues.values()].some(({ source, part }) => source.startsWith("file:") && part === file);
  try {
    return isFile && (await stat(file)).size <= maxShownBytes ? await readText(file) : undefined;
  } catch {
    return undefined;
  }
}
