import type { Metrics } from "../admin/metrics/metrics.ts";
import { PilotMetrics } from "../admin/metrics/pilot-metrics.ts";
import type { Processor } from "../galley/processor/processor.ts";
import { distributeToAll } from "../galley/snapshotter/distributor.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { RegistrationEvent } from "../pilot/xds/workloads/workload-registry.ts";
import { accessOf } from "./access.ts";
import { buildGalley } from "./build-galley.ts";
import { buildDiscovery, type DiscoveryOptions } from "./build-pilot.ts";
import { caPart } from "./ca/ca-part.ts";
import { Desk, observedBy } from "./desk/desk.ts";
import type { GalleyMeter } from "./gauges/galley-meter.ts";
import { countRegistryEvents } from "./gauges/registry-events.ts";
import { historyPart, loggedBy } from "./history/history-part.ts";
import { hostOf } from "./host.ts";
import { intakeOf } from "./intake.ts";
import { KeySets } from "./jwks/key-sets.ts";
import type { LogScopes } from "./log/log-scopes.ts";
import type { Options } from "./options/options.ts";
import { analysisPart } from "./parts/analysis-part.ts";
import { galleyPart } from "./parts/galley-part.ts";
import { mcpParts } from "./parts/mcp-part.ts";
import { pilotPart } from "./parts/pilot-part.ts";
import { webhookParts } from "./parts/webhook-part.ts";
import { buildMesh } from "./pipeline.ts";
import type { Lifecycle } from "./process/lifecycle.ts";
import type { Listeners } from "./process/listeners.ts";
import { type HostContext, processContextOf } from "./process/process-context.ts";
import { ServerRecording } from "./recording/server-recording.ts";
import type { SourceSet } from "./sources/source-set.ts";
import type { TraceSources } from "./telemetry/telemetry.ts";
import { telemetryOf, tracedBy } from "./telemetry/telemetry-part.ts";
import { buildWorkloadRegistry } from "./workloads/build-workload-registry.ts";
import { entryKeeper } from "./workloads/entry-keeper.ts";
import { debugAnswers } from "./xds/debug-answers.ts";
import { DebugRequests } from "./xds/debug-requests.ts";
import { discoverySettings } from "./xds/discovery-settings.ts";
import { mcpOverXds } from "./xds/mcp-over-xds.ts";
import { quarantineFeed } from "./xds/quarantine-feed.ts";
import { createXdsObserver } from "./xds/xds-observer.ts";

/** The common parts of every composition. Nothing runs before the lifecycle starts. */
export interface Wired {
  readonly lifecycle: Lifecycle;
  readonly listeners: Listeners;
  readonly logs: LogScopes;
  readonly sources: SourceSet;
  readonly processor: Processor;
  readonly metrics: Metrics;
}

/**
 * `binnacle serve`: Galley and Pilot in one process. `binnacle pilot` is the same, fed by remote Galleys. Everything is
 * built in the order of the data flow. Only the debug answers are attached later: they show the discovery server.
 */
export function wire(options: Options, host: HostContext, jobs = ["galley", "pilot"]) {
  const context = processContextOf(options, host, jobs);
  const { clock, logs, metrics, supervisor, listeners } = context;
  const logger = logs.logger("processing");
  const pilotMetrics = new PilotMetrics(metrics);

  // Source → Processor → Snapshotter → local link → Pilot's graph
  const entries = options.autoRegistration || options.workloadHealth ? entryKeeper(context) : undefined;
  const registered = entries === undefined ? [] : [entries.source];
  const recording = ServerRecording.of(context);
  const observe = recording?.observe.bind(recording);
  const intake = intakeOf(context, { own: host.ownSources ?? [], registered, secrets: true, observe });
  const { sources, ledgers, watch, meter, snapshots, analysis, mcp } = intake;
  const mesh = buildMesh({
    sources: sources.observed,
    settings: options,
    allowUnenforced: options.allowUnenforced,
    snapshotObservers: [meter, snapshots],
    strategyObserver: meter,
    mcpOutput: { distributor: mcp.cache, strategyOf: mcp.strategyOf },
    analysis: analysis.publication,
    onSnapshotError: (error) => logger.error({ err: error }, "snapshot not delivered"),
    entrance: recording?.recorder,
  });

  // Pilot's graph → DiscoveryServer → proxies
  const { environment, processor, galley, pilot, link } = mesh;
  const history = historyPart(context, processor);
  if (history) galley.onCommit(supervisor.guard("history", (commit) => history.committed(commit)));
  const access = accessOf(context, processor.outputs);
  const debugRequests = new DebugRequests();
  const telemetry = telemetryOf(context, () => desk && tracesOf(desk, environment, meter));
  // The traces are made from its journal.
  const desk = options.desk || telemetry ? new Desk(context) : undefined;
  desk?.follow(mesh);
  if (telemetry) pilot.onCommit(supervisor.guard("telemetry", (commit) => telemetry.committed(commit)));
  const metered = createXdsObserver({
    metrics: pilotMetrics,
    logger: logs.logger("xds"),
    originOf: (id) => environment.originOf(id),
    supervisor,
  });
  const traced = tracedBy(telemetry, observedBy(desk, metered, supervisor), supervisor);
  const observer = loggedBy(history, traced, supervisor);
  const onEvent = supervisor.guard("registrations", (event: RegistrationEvent) => {
    pilotMetrics.registrations[event].inc();
  });
  const lifecycleHooks = entries && buildWorkloadRegistry({ options, clock, onEvent }, entries, processor.outputs);
  const discoveryOptions: DiscoveryOptions = {
    ...discoverySettings(options, clock, host.protocol),
    observer,
    onUpdate: supervisor.guard("xds log", (request) => {
      pilotMetrics.countUpdates(request.reasons);
      desk?.requested(request);
      history?.requested(request);
    }),
    ...(lifecycleHooks && { lifecycleHooks }),
    otherClients: mcpOverXds(context, { ...mcp, isOperator: access.isOperator }),
    debugRequests,
    overload: context.load.overload,
  };
  const built = buildDiscovery(mesh, recording?.recorded(discoveryOptions) ?? discoveryOptions);
  const { discovery, writer, waits } = built;
  context.load.watchQueue(() => discovery.queueMs);
  desk?.attach(discovery);
  history?.attach(discovery);
  const pipeline = { ...mesh, discovery, writer, waits };

  // Metrics, pages, listeners and probes
  countRegistryEvents(context, pipeline);
  const keySets = new KeySets(context, mesh);
  const { parts: serving, sinks } = mcpParts(context, mcp);
  const pilotProblems = {
    problems: () => pilot.problems,
    generatorProblems: () => discovery.catalogues.flatMap(({ problems }) => [...problems]),
  };
  const ca = caPart(context, access, mesh);
  const webhooks = webhookParts(context, processor.outputs, ca);
  const isIssued = options.webhookCert === undefined;
  const quarantine = quarantineFeed({ discovery, environment, clock });
  const parts = [
    // The first to start, and the last to stop.
    ...(telemetry ? [telemetry.part] : []),
    ...(recording ? [recording.part(() => sources.observed)] : []),
    ...(isIssued ? [] : webhooks),
    ...serving,
    galleyPart(context, {
      ...pipeline,
      sources,
      ledgers,
      watch,
      snapshots,
      pilotProblems,
      sinks,
      galleys: mcp.galleys,
    }),
    analysisPart(context, { ...pipeline, ...analysis, live: () => keySets.messages(), quarantine }),
    pilotPart(context, {
      ...pipeline,
      access,
      onRefused: supervisor.guard("xds log", () => pilotMetrics.refusedStreams.inc()),
      complete: link.complete,
      keySets,
      ca,
    }),
    // The current content is served now.
    ...(history ? [history.part] : []),
    ...(desk && options.desk
      ? [desk.part({ pipeline, sources, ledgers, watch, ...analysis, live: () => keySets.messages(), access, ca })]
      : []),
    // Our own authority must have started, which issues the certificate of the webhooks.
    ...(isIssued ? webhooks : []),
  ];
  debugRequests.attachAnswers(
    debugAnswers(context, { ...pipeline, access, pages: parts.flatMap(({ pages = [] }) => pages) }),
  );
  return {
    lifecycle: hostOf(context, access, parts),
    listeners,
    logs,
    metrics,
    sources,
    mcp,
    desk,
    telemetry,
    history,
    ...pipeline,
  };
}

function tracesOf({ journal }: Desk, environment: Environment, meter: GalleyMeter): TraceSources {
  return { journal, originOf: (id) => environment.originOf(id), lastEventAt: () => meter.lastEventAt };
}

/** `binnacle galley`: sources to snapshots, or the webhook alone where there is no source, or both. */
export function wireGalley(options: Options, host: HostContext) {
  const context = processContextOf(options, host, ["galley"]);
  const { logs, listeners, metrics } = context;
  const logger = logs.logger("processing");
  const { ownSources = [] } = host;

  // Source → Processor → Snapshotter → MCP
  const intake = intakeOf(context, { own: ownSources, secrets: false });
  const { sources, ledgers, watch, meter, snapshots, analysis, mcp } = intake;
  const galley = buildGalley({
    sources: sources.observed,
    settings: { domain: options.domain },
    allowUnenforced: options.allowUnenforced,
    distributor: distributeToAll([meter, snapshots, mcp.cache]),
    strategyOf: (group) => mcp.strategyOf(group, meter),
    analysis: analysis.publication,
    onSnapshotError: (error) => logger.error({ err: error }, "snapshot not delivered"),
  });

  // Metrics, pages, listeners and probes
  const access = accessOf(context, galley.processor.outputs);
  const processing = () => {
    const { parts: serving, sinks } = mcpParts(context, mcp);
    return [
      ...serving,
      galleyPart(context, { ...galley, sources, ledgers, watch, snapshots, sinks, galleys: mcp.galleys }),
      analysisPart(context, { ...galley, ...analysis }),
    ];
  };
  const hasSources = options.sources.length + ownSources.length > 0;
  const telemetry = telemetryOf(context, () => undefined);
  const parts = [...webhookParts(context, galley.processor.outputs), ...(hasSources ? processing() : [])];
  const all = telemetry && parts.length > 0 ? [telemetry.part, ...parts] : parts;
  return { lifecycle: hostOf(context, access, all), listeners, logs, metrics, sources, mcp, ...galley };
}
