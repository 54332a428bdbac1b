import type { SnapshotGroup } from "../config/kind.ts";
import type { Processor } from "../galley/processor/processor.ts";
import type { Distributor } from "../galley/snapshotter/distributor.ts";
import type { Publication } from "../galley/snapshotter/snapshotter.ts";
import type { Strategy } from "../galley/snapshotter/strategy.ts";

/** Everything that leaves Galley belongs to one of these. */
export const groups: readonly SnapshotGroup[] = ["default", "syntheticServiceEntry"];

export interface PublicationsOptions {
  readonly processor: Pick<Processor, "outputsOf">;
  readonly distributor: Distributor;
  readonly strategyOf: (group: SnapshotGroup) => Strategy;
}

/** All groups to one destination. */
export function publicationsTo({ processor, distributor, strategyOf }: PublicationsOptions): readonly Publication[] {
  return groups.map((group) => ({
    group,
    collections: processor.outputsOf(group),
    strategy: strategyOf(group),
    distributor,
  }));
}
