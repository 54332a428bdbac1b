import { type Distributor, distributeToAll } from "../galley/snapshotter/distributor.ts";
import { immediate, type StrategyObserver } from "../galley/snapshotter/strategy.ts";
import { buildGalley, type GalleyOptions } from "./build-galley.ts";
import { buildPilot, type PilotOptions } from "./build-pilot.ts";
import { LocalLink } from "./local-link.ts";
import { groups } from "./publications.ts";

export { type ProtocolSettings, protocolDefaults } from "./build-pilot.ts";

export interface PipelineOptions
  extends PilotOptions,
    Pick<GalleyOptions, "sources" | "elsewhere" | "analysis" | "onSnapshotError" | "allowUnenforced"> {
  /** Further receivers of every snapshot, before Pilot. */
  readonly witnesses?: readonly Distributor[];
  readonly strategyObserver?: StrategyObserver;
}

export type Pipeline = ReturnType<typeof buildPipeline>;

/**
 * The pipeline from sources to proxies: Source → Processor → Snapshotter → Distributor → local link → Pilot's graph →
 * DiscoveryServer. Nothing here opens a socket or reads a clock. Galley publishes each commit; only Pilot coalesces.
 */
export function buildPipeline({ witnesses = [], strategyObserver, ...options }: PipelineOptions) {
  const pilot = buildPilot(options);
  const link = new LocalLink({ graph: pilot.pilot, environment: pilot.environment, groups });
  const galley = buildGalley({
    ...options,
    distributor: distributeToAll([...witnesses, link]),
    strategyOf: () => immediate(strategyObserver),
  });
  return { ...galley, link, ...pilot };
}
