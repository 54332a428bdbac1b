import { changesBetween } from "../collection/changes-between.ts";
import type { View } from "../collection/collection.ts";
import type { Graph } from "../collection/graph.ts";
import type { Input } from "../collection/input.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import type { Distributor } from "../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../galley/snapshotter/snapshot.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { ArrivedChange, Staging } from "../pilot/registry/rollout/staging.ts";

export interface LocalLinkOptions {
  /** Pilot's. */
  readonly graph: Graph;
  readonly environment: Pick<Environment, "inputs">;
  /** Holds back changes that arrive in waves. */
  readonly staging: Pick<Staging, "admit">;
  /** The groups that have to arrive before Pilot knows the whole mesh. */
  readonly groups: readonly SnapshotGroup[];
}

interface InputWrite extends ArrivedChange {
  readonly input: Input<Config>;
  readonly key: string;
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
    const { graph, environment, staging } = this.#options;
    graph.batch(() => {
      const writes: InputWrite[] = [];
      for (const [name, view] of snapshot.collections) {
        const input = environment.inputs.get(name);
        if (input === undefined) continue;
        for (const change of changesBetween(this.#views.get(name), view)) {
          const before = change.type === "added" ? undefined : change.before;
          const after = change.type === "removed" ? undefined : change.after;
          writes.push({ input, key: change.key, before, after });
        }
        if (!this.#views.has(name)) input.markSynced();
        this.#views.set(name, view);
      }
      for (const { input, key, after } of staging.admit(writes)) {
        if (after === undefined) input.delete(key);
        else input.set(key, after);
      }
    });
    this.#awaited.delete(snapshot.group);
    if (this.#awaited.size === 0) this.#markComplete();
  }
}
