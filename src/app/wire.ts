import { HttpServer } from "../admin/http-server.ts";
import { Metrics } from "../admin/metrics.ts";
import { debugRoutes, metricsRoutes } from "../admin/routes.ts";
import { Graph } from "../collection/graph.ts";
import { kinds } from "../config/kinds.ts";
import { Processor } from "../galley/processor/processor.ts";
import { transformsFor } from "../galley/processor/transforms.ts";
import { Snapshotter } from "../galley/snapshotter/snapshotter.ts";
import type { Clock } from "../lib/clock.ts";
import type { GrpcStream } from "../lib/grpc-stream.ts";
import type { Logger } from "../lib/logger.ts";
import { ProtoWriter } from "../lib/proto-writer.ts";
import { PushContext } from "../pilot/model/push-context.ts";
import { buildEnvironment } from "../pilot/registry/environment.ts";
import { pushRequestFor } from "../pilot/registry/push-request-for.ts";
import { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import { createGenerators } from "../pilot/xds/generators.ts";
import { createGrpcServer, type GrpcServer } from "../transport/grpc-server.ts";
import { adminStateOf } from "./admin-state.ts";
import { captureFrom } from "./capture.ts";
import { installGauges } from "./gauges.ts";
import { logIssues } from "./issue-log.ts";
import { type Component, Lifecycle } from "./lifecycle.ts";
import { Listeners } from "./listeners.ts";
import { LocalLink } from "./local-link.ts";
import type { Options } from "./options.ts";
import { logProblems } from "./problem-log.ts";
import { groups, publicationsTo } from "./publications.ts";
import { sourcesFrom } from "./sources.ts";
import { createTurn } from "./turn.ts";
import { createXdsObserver } from "./xds-observer.ts";

/** How long a proxy may leave a response unanswered before the next one goes out all the same. As Istio had it. */
const ackTimeoutMs = 15_000;

/** How long streams get to end by themselves at a shutdown. */
const graceMs = 2_000;

export interface Surroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
}

/** Puts the parts together: the one place that knows them all. Nothing runs before the lifecycle is started. */
export function wire(options: Options, { clock, logger, version }: Surroundings) {
  const galley = new Graph();
  const sources = sourcesFrom(options, clock);
  const processor = new Processor({ graph: galley, sources, transforms: transformsFor(kinds) });

  const pilot = new Graph();
  const environment = buildEnvironment(pilot, options);
  const link = new LocalLink({ graph: pilot, environment, groups });
  const snapshotter = new Snapshotter({
    graph: galley,
    publications: publicationsTo(link, processor),
    onError: (error) => logger.error({ err: error }, "snapshot not delivered"),
  });

  const metrics = new Metrics();
  const writer = new ProtoWriter();
  const discovery = new DiscoveryServer({
    clock,
    turn: createTurn({ clock, everyMs: 5 }),
    generators: createGenerators({ writer }),
    push: PushContext.capture(environment.views(), 0),
    capture: captureFrom(environment),
    observer: createXdsObserver({ metrics, logger }),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    ackTimeoutMs,
  });
  pilot.onCommit((commit) => {
    const request = pushRequestFor(commit, environment, clock.now());
    if (request === undefined) return;
    metrics.countUpdates(request.reasons);
    discovery.configUpdate(request);
  });

  galley.onCommit((commit) => logIssues(commit.changesOf(processor.issues), logger));
  for (const graph of [galley, pilot]) logProblems(graph, logger);

  const listeners = new Listeners();
  const state = adminStateOf({ galley, pilot, processor, environment, link, discovery, listeners });
  installGauges(metrics, { state, environment, discovery, writer });
  const servers = {
    http: new HttpServer({ address: options.http, routes: debugRoutes(state), logger }),
    metrics: new HttpServer({ address: options.metrics, routes: metricsRoutes(metrics, version), logger }),
    xds: createGrpcServer({ address: options.xds, methods: adsMethods(discovery), logger }),
  };
  const lifecycle = new Lifecycle(inOrder({ listeners, servers, snapshotter, processor, link, discovery }));
  return { lifecycle, listeners, sources, processor, environment, discovery };
}

interface Running {
  readonly listeners: Listeners;
  readonly servers: { readonly http: HttpServer; readonly metrics: HttpServer; readonly xds: GrpcServer };
  readonly snapshotter: Snapshotter;
  readonly processor: Processor;
  readonly link: LocalLink;
  readonly discovery: DiscoveryServer;
}

/** Probes are answered from the beginning; proxies are let in last, when there is something to serve. */
function inOrder({ listeners, servers, snapshotter, processor, link, discovery }: Running): readonly Component[] {
  const { http, metrics, xds } = servers;
  return [
    listeners.component("http", http),
    listeners.component("metrics", metrics),
    { start: async () => snapshotter.start(), stop: async () => snapshotter.stop() },
    processor,
    { start: () => untilServing(link, discovery), stop: async () => discovery.stop() },
    listeners.component("xds", { start: () => xds.start(), stop: () => xds.stop({ graceMs }) }),
  ];
}

/** The whole mesh has arrived, and what was made of it is what proxies will get. */
async function untilServing(link: LocalLink, discovery: DiscoveryServer): Promise<void> {
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
