import { type Distributor, distributeToAll } from "../galley/snapshotter/distributor.ts";
import { immediate, type StrategyObserver } from "../galley/snapshotter/strategy.ts";
import type { EnvironmentSettings } from "../pilot/registry/inputs.ts";
import type { Entrance } from "../pilot/xds/entrance.ts";
import { buildGalley, type GalleyOptions } from "./build-galley.ts";
import { buildDiscovery, buildPilotGraph, type DiscoveryOptions } from "./build-pilot.ts";
import { LocalLink } from "./local-link.ts";
import { groups } from "./publications.ts";

export { type ProtocolSettings, protocolDefaults } from "./build-pilot.ts";

export interface MeshPipelineOptions
  extends Pick<GalleyOptions, "sources" | "mcpOutput" | "analysis" | "onSnapshotError" | "allowUnenforced"> {
  readonly settings: EnvironmentSettings;
  /** Get every snapshot before Pilot does. */
  readonly snapshotObservers?: readonly Distributor[];
  readonly strategyObserver?: StrategyObserver;
  /** Everything that is no object and comes from outside passes here, if set. */
  readonly entrance?: Entrance | undefined;
}

export interface PipelineOptions extends MeshPipelineOptions, DiscoveryOptions {}

export type Pipeline = ReturnType<typeof buildPipeline>;

/**
 * The whole pipeline, from sources to proxies. Nothing here opens a socket or reads a clock. A server builds the two
 * halves itself, because the second half authenticates clients by the configuration in the first.
 */
export function buildPipeline(options: PipelineOptions) {
  const mesh = buildMesh(options);
  return { ...mesh, ...buildDiscovery(mesh, options) };
}

/**
 * The first half: Source → Processor → Snapshotter → Distributor → local link → Pilot's graph. Galley publishes each
 * commit; only Pilot coalesces. `buildDiscovery` adds the second half, Pilot's graph → DiscoveryServer.
 */
export function buildMesh({
  settings,
  snapshotObservers = [],
  strategyObserver,
  entrance,
  ...options
}: MeshPipelineOptions) {
  const pilotGraph = buildPilotGraph(settings);
  const link = new LocalLink({
    graph: pilotGraph.pilot,
    environment: pilotGraph.environment,
    staging: pilotGraph.staging,
    groups: [...groups, "credentials"],
  });
  const galley = buildGalley({
    ...options,
    settings,
    distributor: distributeToAll([...snapshotObservers, link]),
    strategyOf: () => immediate(strategyObserver),
    credentials: { distributor: link, strategy: immediate() },
  });
  return { ...galley, link, ...pilotGraph, entrance };
}
