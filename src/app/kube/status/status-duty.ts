import { StatusMetrics } from "../../../admin/metrics/status-metrics.ts";
import type { Commit } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { issueMessages } from "../../../config/analysis/issue-messages.ts";
import { configKey } from "../../../config/config.ts";
import { type Kind, outputOf } from "../../../config/kind.ts";
import { kinds } from "../../../config/kinds.ts";
import type { Processor } from "../../../galley/processor/processor.ts";
import { ServedKinds } from "../../../galley/source/kube/served-kinds.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { Debouncer } from "../../../lib/time/debouncer.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import type { ProcessContext } from "../../parts/process-part.ts";
import type { Component } from "../../process/lifecycle.ts";
import { parseSourceUrl, type SourceUrl } from "../../sources/source-url.ts";
import type { ObjectId } from "../../store/object-id.ts";
import { clusterOf, elected } from "../elected.ts";
import { isInClusters } from "../is-in-clusters.ts";
import { kubeStatusObjects } from "./status-objects.ts";
import { type ConditionFeed, withConditions } from "./object-conditions.ts";
import { StatusWriter } from "./status-writer.ts";
import { wantedStatus } from "./wanted-status.ts";

const lease = "binnacle-analysis";

/** Objects that cannot be read come and go without a new analysis. */
const quietMs = 500;
const maxWaitMs = 5_000;

export interface Analysed {
  readonly analysis: Analysis;
  readonly processor: Processor;
  readonly galley: Graph;
  /** The quarantine and the rollouts of this process, if it serves proxies. */
  readonly feeds?: readonly ConditionFeed[];
}

/**
 * Writes analysis messages into the status of objects, for every cluster that is a source, if the flag is set. Throws
 * `bad-option` without such a cluster, and `source-unavailable`.
 */
export function statusDuties(context: ProcessContext, analysed: Analysed): readonly Component[] {
  const { options, metrics } = context;
  if (!options.analysisStatus) return [];
  const clusters = options.sources.map(parseSourceUrl).filter(({ scheme }) => scheme === "kube");
  if (clusters.length === 0) throw new MeshError("bad-option", "--analysis-status needs a --source kube:");
  const counters = new StatusMetrics(metrics);
  return clusters.map((url) => statusDuty(context, analysed, { url, counters }));
}

interface Target {
  readonly url: SourceUrl;
  readonly counters: StatusMetrics;
}

function statusDuty(
  context: ProcessContext,
  { analysis, processor, galley, feeds = [] }: Analysed,
  { url, counters }: Target,
): Component {
  const { logs, supervisor } = context;
  const clock = supervisor.clockFor("status");
  const logger = logs.logger("source").child({ source: url.name });
  const cluster = clusterOf(context, { flag: "analysis-status", context: url.rest || undefined });
  const { client } = cluster;
  const served = new ServedKinds(client, clock, kinds);
  const writer = new StatusWriter({
    objects: kubeStatusObjects({ client, served, kinds: written }),
    clock,
    isOurs: (object) => sourceOf(object, processor) === url.name,
    onResult: supervisor.guard("status", (result) => counters.writes.inc({ result })),
    onFailure: (object, error) => logger.warn({ object, reason: errorFrom(error).message }, "status not written"),
    onError: supervisor.reporterFor("status"),
  });
  const say = () => {
    const { report } = analysis.state;
    if (report === undefined) return;
    const found = report.messages.filter(({ subject }) => subject?.source === url.name);
    const own = [...processor.issues.values()].filter(({ source }) => source === url.name);
    const wanted = wantedStatus([...found, ...issueMessages(own.flatMap(({ issues }) => issues))], written);
    const given = feeds.flatMap(({ conditions }) => conditions()).filter(({ source }) => source === url.name);
    writer.want(withConditions(wanted, given, written));
  };
  const reports = new Debouncer({
    clock,
    quietMs,
    maxWaitMs,
    run: say,
    onError: (error) => supervisor.failed("status", error, catchUp),
  });
  // A report that arrives while the part is paused is not lost: the part reads the newest one afterwards.
  const catchUp = { again: () => reports.trigger() };
  analysis.onReport(supervisor.guard("status", () => reports.trigger(), catchUp));
  for (const { listen } of feeds) listen(supervisor.guard("status", () => reports.trigger(), catchUp));
  const lookAtIssues = (commit: Commit) => {
    if (commit.changesOf(processor.issues).length > 0) reports.trigger();
  };
  galley.onCommit(supervisor.guard("status", lookAtIssues, catchUp));
  const election = elected(context, cluster, { lease, led: writer, logger });
  return {
    ...election,
    stop: async () => {
      reports.cancel();
      await election.stop();
    },
  };
}

/** The source whose object of this name is in use. */
function sourceOf({ kind, ...name }: ObjectId, { outputs }: Processor): string | undefined {
  return outputs.get(outputOf(kind) ?? "")?.get(configKey(name))?.origin.source;
}

/** Kubernetes' own kinds have a status of their own. */
const written: readonly Kind[] = kinds.filter((kind) => !kind.builtIn && isInClusters(kind));
