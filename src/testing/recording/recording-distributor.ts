import type { SnapshotGroup } from "../../config/kind.ts";
import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";

/** Keeps every snapshot it is given, for tests to look at. */
export class RecordingDistributor implements Distributor {
  readonly snapshots: Snapshot[] = [];

  distribute(snapshot: Snapshot): void {
    this.snapshots.push(snapshot);
  }

  of(group: SnapshotGroup): readonly Snapshot[] {
    return this.snapshots.filter((snapshot) => snapshot.group === group);
  }

  /** The keys that the latest snapshot of a group has in a collection, sorted; undefined before the first. */
  keys(group: SnapshotGroup, collection: string): readonly string[] | undefined {
    const view = this.of(group).at(-1)?.collections.get(collection);
    return view && Array.from(view.entries(), ([key]) => key).toSorted();
  }
}
