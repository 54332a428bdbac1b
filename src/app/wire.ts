import { HttpServer } from "../admin/http-server.ts";
import { Metrics } from "../admin/metrics.ts";
import { debugRoutes, metricsRoutes } from "../admin/routes.ts";
import type { WebhookServer } from "../admin/webhook/webhook-server.ts";
import type { Clock } from "../lib/clock.ts";
import type { GrpcStream } from "../lib/grpc-stream.ts";
import type { Logger } from "../lib/logger.ts";
import type { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import { createGrpcServer, type GrpcServer } from "../transport/grpc-server.ts";
import { adminStateOf } from "./admin-state.ts";
import { installGauges } from "./gauges.ts";
import { logIssues } from "./issue-log.ts";
import { type Component, Lifecycle } from "./lifecycle.ts";
import { Listeners } from "./listeners.ts";
import type { Options } from "./options.ts";
import { buildPipeline, type Pipeline, type ProtocolSettings, protocolDefaults } from "./pipeline.ts";
import { logProblems } from "./problem-log.ts";
import { sourcesFrom } from "./sources.ts";
import { createTurn } from "./turn.ts";
import { webhookFrom } from "./webhook.ts";
import { createXdsObserver } from "./xds-observer.ts";

/** How long streams get to end by themselves at a shutdown. */
const graceMs = 2_000;

export interface Surroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly protocol?: ProtocolSettings;
}

/** Puts the parts together: the one place that knows them all. Nothing runs before the lifecycle is started. */
export function wire(options: Options, surroundings: Surroundings) {
  const { clock, logger, version, protocol = protocolDefaults } = surroundings;
  const metrics = new Metrics();
  const sources = sourcesFrom(options, clock);
  const pipeline = buildPipeline({
    sources,
    settings: options,
    clock,
    turn: createTurn({ clock, everyMs: 5 }),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    observer: createXdsObserver({ metrics, logger }),
    onUpdate: ({ reasons }) => metrics.countUpdates(reasons),
    onSnapshotError: (error) => logger.error({ err: error }, "snapshot not delivered"),
    protocol,
  });
  const { galley, processor, pilot, environment, discovery } = pipeline;
  galley.onCommit((commit) => logIssues(commit.changesOf(processor.issues), logger));
  for (const graph of [galley, pilot]) logProblems(graph, logger);

  const listeners = new Listeners();
  const state = adminStateOf({ ...pipeline, listeners });
  installGauges(metrics, { ...pipeline, state });
  const servers = {
    http: new HttpServer({ address: options.http, routes: debugRoutes(state), logger }),
    metrics: new HttpServer({ address: options.metrics, routes: metricsRoutes(metrics, version), logger }),
    webhook: webhookFrom(options, { clock, logger, metrics }),
    xds: createGrpcServer({ address: options.xds, methods: adsMethods(discovery), logger }),
  };
  const lifecycle = new Lifecycle(inOrder({ ...pipeline, listeners, servers }));
  return { lifecycle, listeners, sources, processor, environment, discovery };
}

interface Running extends Pipeline {
  readonly listeners: Listeners;
  readonly servers: {
    readonly http: HttpServer;
    readonly metrics: HttpServer;
    readonly webhook: WebhookServer;
    readonly xds: GrpcServer;
  };
}

/** Probes are answered from the beginning; proxies are let in last, when there is something to serve. */
function inOrder({ listeners, servers, ...pipeline }: Running): readonly Component[] {
  const { http, metrics, webhook, xds } = servers;
  const { snapshotter, processor, discovery } = pipeline;
  return [
    listeners.component("http", http),
    listeners.component("metrics", metrics),
    listeners.component("webhook", webhook),
    { start: async () => snapshotter.start(), stop: async () => snapshotter.stop() },
    processor,
    { start: () => untilServing(pipeline), stop: async () => discovery.stop() },
    listeners.component("xds", { start: () => xds.start(), stop: () => xds.stop({ graceMs }) }),
  ];
}

/** The whole mesh has arrived, and what was made of it is what proxies will get. */
async function untilServing({ link, discovery }: Pipeline): Promise<void> {
  await link.complete;
  await discovery.idle();
  discovery.markReady();
}

const adsPath = "/envoy.service.discovery.v3.AggregatedDiscoveryService";

function adsMethods(discovery: DiscoveryServer) {
  return new Map([
    [`${adsPath}/StreamAggregatedResources`, (stream: GrpcStream) => discovery.streamAggregatedResources(stream)],
    [`${adsPath}/DeltaAggregatedResources`, (stream: GrpcStream) => discovery.deltaAggregatedResources(stream)],
  ]);
}
