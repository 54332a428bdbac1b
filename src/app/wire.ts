import { isDebugType } from "../admin/debug-xds/debug-types.ts";
import { GalleyMetrics } from "../admin/metrics/galley-metrics.ts";
import { Metrics } from "../admin/metrics/metrics.ts";
import { PilotMetrics } from "../admin/metrics/pilot-metrics.ts";
import type { Processor } from "../galley/processor/processor.ts";
import { distributeToAll } from "../galley/snapshotter/distributor.ts";
import type { Source } from "../galley/source/source.ts";
import type { Logger } from "../lib/logger.ts";
import { Supervisor } from "../lib/supervisor.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createTurn } from "../lib/time/turn.ts";
import type { RegistrationEvent } from "../pilot/xds/workloads/workload-registry.ts";
import { accessOf } from "./access.ts";
import { analysisOf } from "./analysis/analysis.ts";
import { buildGalley } from "./build-galley.ts";
import { installBuildGauge } from "./gauges/build-gauge.ts";
import { GalleyMeter } from "./gauges/galley-meter.ts";
import { installLogGauge } from "./gauges/log-gauge.ts";
import { partFailures } from "./gauges/part-failures.ts";
import { countRegistryEvents } from "./gauges/registry-events.ts";
import { hostOf } from "./host.ts";
import { LatestSnapshots } from "./latest-snapshots.ts";
import { LogScopes } from "./log/log-scopes.ts";
import { supervisedLogger } from "./log/supervised-logger.ts";
import { mcpOf } from "./mcp/mcp.ts";
import type { Options } from "./options/options.ts";
import { limitsFrom } from "./options/pipeline-limits.ts";
import { analysisPart } from "./parts/analysis-part.ts";
import { galleyPart } from "./parts/galley-part.ts";
import { mcpParts } from "./parts/mcp-part.ts";
import type { ProcessContext } from "./parts/part.ts";
import { pilotPart } from "./parts/pilot-part.ts";
import { webhookParts } from "./parts/webhook-part.ts";
import { buildPipeline, type Pipeline, type ProtocolSettings, protocolDefaults } from "./pipeline.ts";
import type { Lifecycle } from "./process/lifecycle.ts";
import { Listeners } from "./process/listeners.ts";
import { groups } from "./publications.ts";
import { SourceSet } from "./sources/source-set.ts";
import { SourceWatch } from "./sources/source-watch.ts";
import { meshSources, sourceMaker } from "./sources/sources.ts";
import { workloadsOf } from "./workloads/workloads.ts";
import { debugAnswers } from "./xds/debug-answers.ts";
import { mcpOverXds } from "./xds/mcp-over-xds.ts";
import { createXdsObserver } from "./xds/xds-observer.ts";

export interface HostContext {
  readonly clock: Clock;
  /** Receives every line that passes the level of its scope. */
  readonly logger: Logger;
  /** Lines that the logger has dropped so far. */
  readonly droppedLines?: () => number;
  readonly version: string;
  readonly protocol?: ProtocolSettings;
  /** Sources of the embedding program, before those of the options. */
  readonly ownSources?: readonly Source[];
}

/** The common parts of every composition. Nothing runs before the lifecycle starts. */
export interface Wired {
  readonly lifecycle: Lifecycle;
  readonly listeners: Listeners;
  readonly logs: LogScopes;
  readonly sources: SourceSet;
  readonly processor: Processor;
  readonly metrics: Metrics;
}

/** `binnacle serve`: Galley and Pilot in one process. `binnacle pilot` is the same, fed by remote Galleys. */
export function wire(options: Options, host: HostContext, jobs = ["galley", "pilot"]) {
  const context = processContextOf(options, host, jobs);
  const { clock, logs, metrics, supervisor, listeners } = context;
  const logger = logs.logger("processing");
  const pilotMetrics = new PilotMetrics(metrics);
  const onEvent = supervisor.guard("registrations", (event: RegistrationEvent) => {
    pilotMetrics.registrations[event].inc();
  });
  const workloads = options.autoRegistration
    ? workloadsOf({ options, clock, onEvent }, () => pipeline.processor.outputs)
    : undefined;
  const intake = intakeOf(context, host, workloads === undefined ? [] : [workloads.source]);
  const { sources, watch, meter, snapshots, analysis, mcp } = intake;
  const pipeline: Pipeline = buildPipeline({
    sources: sources.dressed,
    witnesses: [meter, snapshots],
    elsewhere: { distributor: mcp.cache, strategyOf: mcp.strategyOf },
    analysis: analysis.publication,
    allowUnenforced: options.allowUnenforced,
    strategyObserver: meter,
    settings: options,
    clock,
    turn: createTurn(clock),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    observer: createXdsObserver({
      metrics: pilotMetrics,
      logger: logs.logger("xds"),
      originOf: (id) => pipeline.environment.originOf(id),
      supervisor,
    }),
    onUpdate: supervisor.guard("xds log", ({ reasons }) => pilotMetrics.countUpdates(reasons)),
    onSnapshotError: (error) => logger.error({ err: error }, "snapshot not delivered"),
    protocol: host.protocol ?? {
      ...protocolDefaults,
      ackTimeoutMs: options.ackTimeoutMs,
      flowControl: options.flowControl,
    },
    limits: limitsFrom(options),
    ...(workloads && { lifecycleHooks: workloads.lifecycleHooks }),
    identityCheck: options.xdsIdentityCheck,
    otherClients: mcpOverXds(context, { ...mcp, isOperator: (peer) => access.isOperator(peer) }),
    aside: { takes: isDebugType, answer: (question) => debug.answer(question) },
  });
  const { link, pilot, discovery, processor } = pipeline;
  countRegistryEvents(context, pipeline);
  const access = accessOf(context, processor.outputs);
  const beside = { problems: () => pilot.problems, generatorProblems: () => discovery.catalogue.problems };
  const { parts: serving, sinks } = mcpParts(context, mcp);
  const parts = [
    ...webhookParts(context),
    ...serving,
    galleyPart(context, { ...pipeline, sources, watch, snapshots, beside, sinks, galleys: mcp.galleys }),
    analysisPart(context, { ...pipeline, ...analysis }),
    pilotPart(context, {
      ...pipeline,
      access,
      onRefused: supervisor.guard("xds log", () => pilotMetrics.refusedStreams.inc()),
      complete: link.complete,
    }),
  ];
  const debug = debugAnswers(context, { ...pipeline, access, pages: parts.flatMap(({ pages = [] }) => pages) });
  const lifecycle = hostOf(context, access, parts);
  return { lifecycle, listeners, logs, metrics, sources, mcp, ...pipeline };
}

/** `binnacle galley`: sources to snapshots, or the webhook alone where there is no source, or both. */
export function wireGalley(options: Options, host: HostContext) {
  const context = processContextOf(options, host, ["galley"]);
  const { logs, listeners, metrics } = context;
  const logger = logs.logger("processing");
  const { sources, watch, meter, snapshots, analysis, mcp } = intakeOf(context, host);
  const galley = buildGalley({
    sources: sources.dressed,
    settings: { domain: options.domain },
    distributor: distributeToAll([meter, snapshots, mcp.cache]),
    analysis: analysis.publication,
    allowUnenforced: options.allowUnenforced,
    strategyOf: (group) => mcp.strategyOf(group, meter),
    onSnapshotError: (error) => logger.error({ err: error }, "snapshot not delivered"),
  });
  const processing = () => {
    const { parts: serving, sinks } = mcpParts(context, mcp);
    return [
      ...serving,
      galleyPart(context, { ...galley, sources, watch, snapshots, sinks, galleys: mcp.galleys }),
      analysisPart(context, { ...galley, ...analysis }),
    ];
  };
  const { ownSources = [] } = host;
  const hasSources = options.sources.length + ownSources.length > 0;
  const access = accessOf(context, galley.processor.outputs);
  const lifecycle = hostOf(context, access, [...webhookParts(context), ...(hasSources ? processing() : [])]);
  return { lifecycle, listeners, logs, metrics, sources, mcp, ...galley };
}

function processContextOf(options: Options, host: HostContext, jobs: readonly string[]): ProcessContext {
  const { clock, logger, droppedLines = () => 0, version } = host;
  const supervisor: ProcessContext["supervisor"] = new Supervisor({
    clock,
    onFailure(part, error, facts) {
      failures.inc({ part });
      logs.logger("server").error({ ...facts, part, err: error }, "part failed, the rest goes on");
    },
  });
  const logs = new LogScopes(supervisedLogger(logger, supervisor.reporterFor("log")), options.logLevel);
  const metrics = new Metrics((metric, values) => supervisor.run(`metric ${metric}`, values));
  const failures = partFailures(metrics);
  installBuildGauge(metrics, version, jobs);
  installLogGauge(metrics, droppedLines);
  return { options, clock, logs, metrics, supervisor, listeners: new Listeners(), version };
}

/** The start of every composition with Galley: its sources, and the observers of these. */
function intakeOf(
  context: ProcessContext,
  { ownSources = [] }: Pick<HostContext, "ownSources">,
  registered: readonly Source[] = [],
) {
  const { options, clock, logs, metrics, supervisor } = context;
  const mcp = mcpOf(context);
  const meter = new GalleyMeter(new GalleyMetrics(metrics), clock, supervisor);
  const logger = logs.logger("source");
  const watch = new SourceWatch(clock, logger);
  const sources = new SourceSet({
    urls: options.sources,
    make: sourceMaker(options, clock, mcp.galleys),
    first: [...ownSources, ...meshSources(options, clock)],
    last: registered,
    dress: (source) => watch.watched(meter.metered(source)),
    logger,
  });
  const snapshots = new LatestSnapshots(groups);
  return { sources, watch, meter, snapshots, analysis: analysisOf(context, () => sources.sources), mcp };
}
