import type { SnapshotGroup } from "../config/kind.ts";
import type { Distributor } from "../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../galley/snapshotter/snapshot.ts";

/** Keeps the last published snapshots, for the pages. */
export class LatestSnapshots implements Distributor {
  /** Resolves when every group was published. */
  readonly complete: Promise<void>;
  readonly #groups: readonly SnapshotGroup[];
  readonly #latest = new Map<SnapshotGroup, Snapshot>();
  readonly #markComplete: () => void;

  constructor(groups: readonly SnapshotGroup[]) {
    this.#groups = groups;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.complete = promise;
    this.#markComplete = resolve;
  }

  get byGroup(): ReadonlyMap<SnapshotGroup, Snapshot> {
    return this.#latest;
  }

  /** The groups that were not published yet. */
  get awaited(): readonly SnapshotGroup[] {
    return this.#groups.filter((group) => !this.#latest.has(group));
  }

  distribute(snapshot: Snapshot): void {
    this.#latest.set(snapshot.group, snapshot);
    if (this.awaited.length === 0) this.#markComplete();
  }
}
