import { isDebugType } from "../admin/debug-xds/debug-types.ts";
import { GalleyMetrics } from "../admin/metrics/galley-metrics.ts";
import { Metrics } from "../admin/metrics/metrics.ts";
import { PilotMetrics } from "../admin/metrics/pilot-metrics.ts";
import type { Processor } from "../galley/processor/processor.ts";
import { both } from "../galley/snapshotter/distributor.ts";
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
import { mcpOf } from "./mcp/mcp.ts";
import type { Options } from "./options/options.ts";
import { limitsFrom } from "./options/pipeline-limits.ts";
import { analysisPart } from "./parts/analysis-part.ts";
import { galleyPart } from "./parts/galley-part.ts";
import { mcpParts } from "./parts/mcp-part.ts";
import type { Ground } from "./parts/part.ts";
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

export interface Surroundings {
  readonly clock: Clock;
  /** Takes every line that its scope lets through. */
  readonly logger: Logger;
  /** Lines that the logger has dropped so far. */
  readonly droppedLines?: () => number;
  readonly version: string;
  readonly protocol?: ProtocolSettings;
  /** Those of the program around, before those of the options. */
  readonly ownSources?: readonly Source[];
}

/** What every composition has; nothing runs before the lifecycle is started. */
export interface Wired {
  readonly lifecycle: Lifecycle;
  readonly listeners: Listeners;
  readonly logs: LogScopes;
  readonly sources: SourceSet;
  readonly processor: Processor;
}

/** `binnacle serve`: Galley and Pilot in one process. `binnacle pilot` is the same, for what Galleys elsewhere have. */
export function wire(options: Options, surroundings: Surroundings, jobs = ["galley", "pilot"]) {
  const ground = groundOf(options, surroundings, jobs);
  const { clock, logs, metrics, supervisor, listeners } = ground;
  const pilotMetrics = new PilotMetrics(metrics);
  const onEvent = supervisor.guard("registrations", (event: RegistrationEvent) => {
    pilotMetrics.registrations[event].inc();
  });
  const workloads = options.autoRegistration
    ? workloadsOf({ options, clock, onEvent }, () => pipeline.processor.outputs)
    : undefined;
  const intake = intakeOf(ground, surroundings, workloads === undefined ? [] : [workloads.source]);
  const { sources, watch, meter, snapshots, analysis, mcp } = intake;
  const pipeline: Pipeline = buildPipeline({
    sources: sources.dressed,
    witnesses: [meter, snapshots],
    elsewhere: { distributor: mcp.cache, strategyOf: mcp.strategyOf },
    analysis: analysis.publication,
    strategyObserver: meter,
    settings: options,
    clock,
    turn: createTurn(clock),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    observer: supervisor.guardAll(
      "xds log",
      createXdsObserver({
        metrics: pilotMetrics,
        logger: logs.logger("xds"),
        originOf: (id) => pipeline.environment.originOf(id),
      }),
    ),
    onUpdate: supervisor.guard("xds log", ({ reasons }) => pilotMetrics.countUpdates(reasons)),
    onSnapshotError: snapshotErrorLog(ground),
    protocol: surroundings.protocol ?? { ...protocolDefaults, ackTimeoutMs: options.ackTimeoutMs },
    limits: limitsFrom(options),
    ...(workloads && { attendant: workloads.attendant }),
    identityCheck: options.xdsIdentityCheck,
    otherClients: mcpOverXds(ground, { ...mcp, isOperator: (peer) => access.isOperator(peer) }),
    aside: { takes: isDebugType, answer: (question) => debug.answer(question) },
  });
  const { link, pilot, discovery, processor } = pipeline;
  countRegistryEvents(ground, pipeline);
  const access = accessOf(ground, processor.outputs);
  const beside = { problems: () => pilot.problems, generatorProblems: () => discovery.catalogue.problems };
  const { parts: serving, sinks } = mcpParts(ground, mcp);
  const parts = [
    ...webhookParts(ground),
    ...serving,
    galleyPart(ground, { ...pipeline, sources, watch, snapshots, beside, sinks, galleys: mcp.galleys }),
    analysisPart(ground, { ...pipeline, ...analysis }),
    pilotPart(ground, {
      ...pipeline,
      access,
      onRefused: () => pilotMetrics.refusedStreams.inc(),
      complete: link.complete,
    }),
  ];
  const debug = debugAnswers(ground, { ...pipeline, access, pages: parts.flatMap(({ pages = [] }) => pages) });
  const lifecycle = hostOf(ground, access, parts);
  return { lifecycle, listeners, logs, sources, mcp, ...pipeline };
}

/** `binnacle galley`: sources to snapshots, or the webhook alone where there is no source, or both. */
export function wireGalley(options: Options, surroundings: Surroundings) {
  const ground = groundOf(options, surroundings, ["galley"]);
  const { logs, listeners } = ground;
  const { sources, watch, meter, snapshots, analysis, mcp } = intakeOf(ground, surroundings);
  const galley = buildGalley({
    sources: sources.dressed,
    settings: { domain: options.domain },
    distributor: both([meter, snapshots, mcp.cache]),
    analysis: analysis.publication,
    strategyOf: (group) => mcp.strategyOf(group, meter),
    onSnapshotError: snapshotErrorLog(ground),
  });
  const processing = () => {
    const { parts: serving, sinks } = mcpParts(ground, mcp);
    return [
      ...serving,
      galleyPart(ground, { ...galley, sources, watch, snapshots, sinks, galleys: mcp.galleys }),
      analysisPart(ground, { ...galley, ...analysis }),
    ];
  };
  const { ownSources = [] } = surroundings;
  const hasSources = options.sources.length + ownSources.length > 0;
  const access = accessOf(ground, galley.processor.outputs);
  const lifecycle = hostOf(ground, access, [...webhookParts(ground), ...(hasSources ? processing() : [])]);
  return { lifecycle, listeners, logs, sources, mcp, ...galley };
}

function groundOf(options: Options, surroundings: Surroundings, jobs: readonly string[]): Ground {
  const { clock, logger, droppedLines = () => 0, version } = surroundings;
  const logs = new LogScopes(logger, options.logLevel);
  const supervisor = new Supervisor({
    clock,
    onFailure(part, error) {
      failures.inc({ part });
      logs.logger("server").error({ part, err: error }, "part failed, the rest goes on");
    },
  });
  const metrics = new Metrics((metric, values) => supervisor.run(`metric ${metric}`, values));
  const failures = partFailures(metrics);
  installBuildGauge(metrics, version, jobs);
  installLogGauge(metrics, droppedLines);
  return { options, clock, logs, metrics, supervisor, listeners: new Listeners(), version };
}

/** Where every composition with Galley begins: its sources, and those who watch what comes of them. */
function intakeOf(
  ground: Ground,
  { ownSources = [] }: Pick<Surroundings, "ownSources">,
  registered: readonly Source[] = [],
) {
  const { options, clock, logs, metrics, supervisor } = ground;
  const mcp = mcpOf(ground);
  const meter = new GalleyMeter(new GalleyMetrics(metrics), clock, supervisor);
  const logger = logs.logger("source");
  const watch = new SourceWatch(clock, logger, supervisor);
  const sources = new SourceSet({
    urls: options.sources,
    make: sourceMaker(options, clock, mcp.galleys),
    first: [...ownSources, ...meshSources(options, clock)],
    last: registered,
    dress: (source) => watch.watched(meter.metered(source)),
    logger,
  });
  const snapshots = new LatestSnapshots(groups);
  return { sources, watch, meter, snapshots, analysis: analysisOf(ground, () => sources.sources), mcp };
}

function snapshotErrorLog({ logs }: Ground): (error: unknown) => void {
  const logger = logs.logger("processing");
  return (error) => logger.error({ err: error }, "snapshot not delivered");
}
