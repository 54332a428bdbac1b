import { configTopic } from "../../admin/ctrlz/config.ts";
import { galleyPages } from "../../admin/routes.ts";
import type { GalleyState } from "../../admin/state.ts";
import { secret } from "../../config/kinds/secret.ts";
import type { Commit } from "../../collection/collection.ts";
import type { Ledgers } from "../../galley/source/room/ledgers.ts";
import type { StreamStatus } from "../../mcp/source/stream-status.ts";
import type { Galley } from "../build-galley.ts";
import { installGalleyGauges, installObjectGauges } from "../gauges/galley-gauges.ts";
import { installSourceGauges } from "../gauges/source-gauges.ts";
import type { LatestSnapshots } from "../latest-snapshots.ts";
import { logChanges } from "../log/change-log.ts";
import { logClashes } from "../log/clash-log.ts";
import { logIssues } from "../log/issue-log.ts";
import { logProblems } from "../log/problem-log.ts";
import { galleysOf, type RemoteGalleys } from "../mcp/remote-galleys.ts";
import { component } from "../process/lifecycle.ts";
import { sourceReports } from "../sources/source-reports.ts";
import type { SourceSet } from "../sources/source-set.ts";
import type { SourceWatch } from "../sources/source-watch.ts";
import type { ProcessPart, ProcessContext } from "./process-part.ts";

export interface GalleyPartOptions extends Galley {
  readonly snapshots: LatestSnapshots;
  /** The failures of Pilot, if Pilot is in the same process. */
  readonly pilotProblems?: Pick<GalleyState, "problems" | "generatorProblems">;
  /** The sinks that receive snapshots over MCP. */
  readonly sinks: () => readonly StreamStatus[];
  readonly galleys: RemoteGalleys;
  readonly sources: SourceSet;
  readonly watch: SourceWatch;
  readonly ledgers: Ledgers;
}

/** Sources to snapshots. Ready when every source has synced and every group is published. */
export function galleyPart(
  { clock, logs, metrics, supervisor }: ProcessContext,
  options: GalleyPartOptions,
): ProcessPart {
  const { galley, processor, snapshotter, snapshots, pilotProblems, sinks, galleys } = options;
  const logger = logs.logger("source");
  const logNewIssues = (commit: Commit) => {
    logIssues(commit.changesOf(processor.issues), logger);
    logChanges(commit, processor.outputs, logger);
  };
  galley.onCommit(supervisor.guard("issue log", logNewIssues));
  logClashes(galley, processor, { logger, supervisor });
  logProblems(galley, logs.logger("processing"), supervisor);
  const state: GalleyState = {
    configs: processor.outputs,
    sourceHealth: () => processor.health(),
    sources: () => sourceReports({ ...options, clock }),
    issues: () => processor.issues.values(),
    clashes: () => processor.clashes(),
    problems: () => [...galley.problems, ...(pilotProblems?.problems() ?? [])],
    generatorProblems: () => pilotProblems?.generatorProblems() ?? [],
  };
  installGalleyGauges(metrics, state);
  installSourceGauges(metrics, state.sources);
  installObjectGauges(metrics, processor.outputs);
  return {
    components: [
      component("snapshotter", { start: () => snapshotter.start(), stop: () => snapshotter.stop() }),
      component("processing", { start: () => processor.start(), stop: () => processor.stop() }),
      component("first snapshots", { start: () => snapshots.complete, stop: () => {} }),
    ],
    emitter: { name: "processing", awaited: () => awaitedBy(options), remarks: () => remarksOn(options) },
    holdsSecrets: () => holdsSecrets(processor),
    pages: galleyPages(state),
    topics: [configTopic({ snapshots: () => snapshots.byGroup, sinks, galleys: () => galleysOf(galleys) })],
    graphs: new Map([["galley", galley]]),
  };
}

/** A Secret with an error is not in the outputs, but its text may be in memory. */
function holdsSecrets({ outputs, issues }: Galley["processor"]): boolean {
  if ((outputs.get(secret.collection)?.size ?? 0) > 0) return true;
  return [...issues.values()].some((each) => each.issues.some(({ object }) => object.startsWith(secret.kind)));
}

function remarksOn({ processor, ledgers }: GalleyPartOptions): readonly string[] {
  const objects = processor.health().reduce((sum, { name }) => sum + ledgers.of(name).leftOut, 0);
  return objects === 0 ? [] : [`${objects} objects do not fit into memory: see /debug/sources`];
}

/** Sources first: no snapshot comes before them. */
function awaitedBy({ processor, snapshots }: GalleyPartOptions): readonly string[] {
  const syncing = processor.health().filter(({ holdsUp }) => holdsUp);
  if (syncing.length > 0) return syncing.map(({ name }) => `source ${name}`);
  return snapshots.awaited.map((group) => `snapshot ${group}`);
}
