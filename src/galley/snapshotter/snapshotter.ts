import { changesBetween } from "../../collection/changes-between.ts";
import type { Change, Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import { type Config, isSameConfig } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { compareTexts } from "../../lib/compare.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { carryVersion, collectionVersion } from "./collection-version.ts";
import type { Distributor } from "./distributor.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Strategy } from "./strategy.ts";

/** One group and one destination. A group may have several destinations, each with its own strategy. */
export interface Publication {
  readonly group: SnapshotGroup;
  /** The outputs of the group, by output name. */
  readonly collections: ReadonlyMap<string, Collection<Config>>;
  readonly strategy: Strategy;
  readonly distributor: Distributor;
}

export interface SnapshotterOptions {
  readonly graph: Graph;
  readonly publications: readonly Publication[];
  /** Receives the errors of a distributor. The other distributors and the graph are not affected. */
  readonly onError: (error: unknown) => void;
}

/**
 * Takes snapshots of groups of collections. A group publishes nothing until all its collections are synced. After that,
 * a commit that changes one of them leads to a snapshot when the strategy decides. A snapshot equal to the last
 * published one is skipped.
 */
export class Snapshotter {
  readonly #graph: Graph;
  readonly #publishers: readonly Publisher[];
  #unsubscribe: Cancel | undefined;

  constructor({ graph, publications, onError }: SnapshotterOptions) {
    this.#graph = graph;
    this.#publishers = publications.map((publication) => new Publisher(publication, onError));
  }

  /** Publishes groups that are already synced at once. */
  start(): void {
    if (this.#unsubscribe !== undefined) return;
    this.#unsubscribe = this.#graph.onCommit(({ collections }) => {
      for (const publisher of this.#publishers) publisher.onCommit(collections);
    });
    for (const publisher of this.#publishers) publisher.start();
  }

  /** Publishes nothing any more and drops pending snapshots. */
  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    for (const publisher of this.#publishers) publisher.stop();
  }
}

class Publisher {
  readonly #publication: Publication;
  readonly #onError: (error: unknown) => void;
  /** The graph's names of the collections, which may differ from the output names. */
  readonly #names: ReadonlySet<string>;
  #published: Snapshot | undefined;

  constructor(publication: Publication, onError: (error: unknown) => void) {
    this.#publication = publication;
    this.#onError = onError;
    this.#names = new Set(Array.from(publication.collections.values(), ({ name }) => name));
  }

  start(): void {
    this.#changed();
  }

  onCommit(changed: readonly string[]): void {
    if (changed.some((name) => this.#names.has(name))) this.#changed();
  }

  stop(): void {
    this.#publication.strategy.stop();
  }

  #changed(): void {
    const { collections, strategy } = this.#publication;
    if (collections.values().every(({ synced }) => synced)) strategy.onChange(() => this.#publish());
  }

  #publish(): void {
    const { group, collections, distributor } = this.#publication;
    const snapshot = snapshotOf(group, collections);
    if (this.#published !== undefined && !differs(this.#published, snapshot)) return;
    try {
      distributor.distribute(snapshot);
      this.#published = snapshot;
    } catch (thrown) {
      this.#onError(thrown);
    }
  }
}

function snapshotOf(group: SnapshotGroup, collections: ReadonlyMap<string, Collection<Config>>): Snapshot {
  const views = new Map(Array.from(collections, ([name, collection]) => [name, collection.snapshot()]));
  return {
    group,
    collections: views,
    version(collection) {
      const view = views.get(collection);
      return view === undefined ? "" : collectionVersion(view);
    },
    resources(collection) {
      const entries = [...(views.get(collection)?.entries() ?? [])];
      return entries.toSorted(([a], [b]) => compareTexts(a, b)).map(([, config]) => config);
    },
  };
}

/**
 * Compares only the entries that changed in between. A comparison of whole collections would cost too much per commit.
 */
function differs(before: Snapshot, after: Snapshot): boolean {
  let different = false;
  for (const [name, view] of after.collections) {
    const earlier = before.collections.get(name);
    if (earlier === undefined || earlier === view) continue;
    const changes = changesBetween(earlier, view);
    carryVersion(earlier, view, changes);
    different ||= !changes.every(isUndone);
  }
  return different;
}

/** Whether an entry changed and changed back between two snapshots. */
function isUndone(change: Change<Config>): boolean {
  return change.type === "updated" && isSameConfig(change.before, change.after);
}
