import type { SnapshotGroup } from "../config/kind.ts";
import type { Processor } from "../galley/processor/processor.ts";
import type { Distributor } from "../galley/snapshotter/snapshot.ts";
import type { Publication } from "../galley/snapshotter/snapshotter.ts";
import { immediate } from "../galley/snapshotter/strategy.ts";

/** Everything that leaves Galley belongs to one of these. */
export const groups: readonly SnapshotGroup[] = ["default", "syntheticServiceEntry"];

/** All groups to a destination in this process: per commit, because the consumer coalesces by itself. */
export function publicationsTo(distributor: Distributor, processor: Processor): readonly Publication[] {
  return groups.map((group) => ({
    group,
    collections: processor.outputsOf(group),
    strategy: immediate(),
    distributor,
  }));
}
