import { Graph } from "../collection/graph.ts";
import { kinds } from "../config/kinds.ts";
import { Processor } from "../galley/processor/processor.ts";
import { transformsFor } from "../galley/processor/transforms.ts";
import { Snapshotter } from "../galley/snapshotter/snapshotter.ts";
import type { Source } from "../galley/source/source.ts";
import type { Clock } from "../lib/clock.ts";
import { ProtoWriter } from "../lib/proto-writer.ts";
import { PushContext } from "../pilot/model/push-context.ts";
import type { PushRequest } from "../pilot/model/push-request.ts";
import { buildEnvironment, type EnvironmentSettings } from "../pilot/registry/environment.ts";
import { pushRequestFor } from "../pilot/registry/push-request-for.ts";
import { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import { createGenerators } from "../pilot/xds/generators.ts";
import type { XdsObserver } from "../pilot/xds/observer.ts";
import { type WarmingRules, warmingRules } from "../pilot/xds/warming.ts";
import { captureFrom } from "./capture.ts";
import { LocalLink } from "./local-link.ts";
import { groups, publicationsTo } from "./publications.ts";

/** What only tests set otherwise, to show what happens then. */
export interface ProtocolSettings {
  readonly warmingRules: WarmingRules;
  /** How long a proxy may leave a response unanswered before the next one goes out all the same. */
  readonly ackTimeoutMs: number;
}

export const protocolDefaults: ProtocolSettings = { warmingRules, ackTimeoutMs: 15_000 };

export interface PipelineOptions {
  /** In order of precedence. */
  readonly sources: readonly Source[];
  readonly settings: EnvironmentSettings;
  readonly clock: Clock;
  readonly turn: () => Promise<void>;
  readonly debounce: { readonly quietMs: number; readonly maxWaitMs: number };
  readonly observer: XdsObserver;
  /** A change of the mesh is on its way to the proxies. */
  readonly onUpdate: (request: PushRequest) => void;
  readonly onSnapshotError: (error: unknown) => void;
  readonly protocol: ProtocolSettings;
}

export type Pipeline = ReturnType<typeof buildPipeline>;

/**
 * The one road from sources to proxies: Source → Processor → Snapshotter → Distributor → local link → Pilot's graph →
 * DiscoveryServer. Nothing here opens a socket or knows the time.
 */
export function buildPipeline(options: PipelineOptions) {
  const { clock, turn, debounce, observer, protocol } = options;
  const galley = new Graph();
  const processor = new Processor({ graph: galley, sources: options.sources, transforms: transformsFor(kinds) });

  const pilot = new Graph();
  const environment = buildEnvironment(pilot, options.settings);
  const link = new LocalLink({ graph: pilot, environment, groups });
  const publications = publicationsTo(link, processor);
  const snapshotter = new Snapshotter({ graph: galley, publications, onError: options.onSnapshotError });

  const writer = new ProtoWriter();
  const discovery = new DiscoveryServer({
    clock,
    turn,
    generators: createGenerators({ writer }),
    push: PushContext.capture(environment.views(), 0),
    capture: captureFrom(environment),
    observer,
    debounce,
    ...protocol,
  });
  pilot.onCommit((commit) => {
    const request = pushRequestFor(commit, environment, clock.now());
    if (request === undefined) return;
    options.onUpdate(request);
    discovery.configUpdate(request);
  });
  return { galley, processor, snapshotter, link, pilot, environment, writer, discovery };
}
