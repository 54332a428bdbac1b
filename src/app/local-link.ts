import { changesBetween } from "../collection/changes-between.ts";
import type { View } from "../collection/collection.ts";
import type { Graph } from "../collection/graph.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import type { Distributor } from "../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../galley/snapshotter/snapshot.ts";
import type { Environment } from "../pilot/registry/environment.ts";

export interface LocalLinkOptions {
  /** Pilot's. */
  readonly graph: Graph;
  readonly environment: Pick<Environment, "inputs">;
  /** The groups that have to arrive before Pilot knows the whole mesh. */
  readonly groups: readonly SnapshotGroup[];
}

/**
 * Galley and Pilot in one process: each snapshot becomes one batch of Pilot's graph, made of what differs from the
 * snapshot before. Collections that Pilot has no input for are left out.
 */
export class LocalLink implements Distributor {
  /** Resolves when a first snapshot of every group has been applied. */
  readonly complete: Promise<void>;
  readonly #options: LocalLinkOptions;
  readonly #views = new Map<string, View<Config>>();
  readonly #awaited: Set<SnapshotGroup>;
  readonly #markComplete: () => void;

  constructor(options: LocalLinkOptions) {
    this.#options = options;
    this.#awaited = new Set(options.groups);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.complete = promise;
    this.#markComplete = resolve;
  }

  /** The groups without a snapshot so far. */
  get awaited(): ReadonlySet<SnapshotGroup> {
    return this.#awaited;
  }

  distribute(snapshot: Snapshot): void {
    const { graph, environment } = this.#options;
    graph.batch(() => {
      for (const [name, view] of snapshot.collections) {
        const input = environment.inputs.get(name);
        if (input === undefined) continue;
        for (const change of changesBetween(this.#views.get(name), view)) {
          if (change.type === "removed") input.delete(change.key);
          else input.set(change.key, change.after);
        }
        if (!this.#views.has(name)) input.markSynced();
        this.#views.set(name, view);
      }
    });
    this.#awaited.delete(snapshot.group);
    if (this.#awaited.size === 0) this.#markComplete();
  }
}
