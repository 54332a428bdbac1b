import type { SnapshotGroup } from "../config/kind.ts";
import type { Distributor, Snapshot } from "../galley/snapshotter/snapshot.ts";

/** Keeps what was published last, for those who look. */
export class LatestSnapshots implements Distributor {
  readonly #latest = new Map<SnapshotGroup, Snapshot>();

  get byGroup(): ReadonlyMap<SnapshotGroup, Snapshot> {
    return this.#latest;
  }

  distribute(snapshot: Snapshot): void {
    this.#latest.set(snapshot.group, snapshot);
  }
}
