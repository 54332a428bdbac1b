import type { View } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import type { Cancel } from "../lib/time/clock.ts";
import { type McpCollection, mcpCollections } from "./collections.ts";
import { type CollectionSets, EncodedSets, type WireForm } from "./encoded-sets.ts";
import type { EnvelopeError } from "./envelope/envelope-error.ts";

/** The parts of a Galley snapshot that the cache needs. */
export interface DistributedSnapshot {
  readonly group: SnapshotGroup;
  readonly collections: ReadonlyMap<string, View<Config>>;
}

/** Receives the changes of the cache. Streams implement it. */
export interface CacheListener {
  /** These collections may have new content: at least one object changed. */
  changed(collections: ReadonlySet<string>): void;
}

export interface SnapshotCacheOptions {
  /** The collections to serve. All MCP collections by default. */
  readonly collections?: readonly McpCollection[];
  /** Receives objects that cannot be sent (WIRE-2). Their last sent version stays. */
  readonly onRefused?: (collection: string, error: EnvelopeError) => void;
}

/**
 * The newest snapshot of each group: one cache for several dialects. A new snapshot triggers no computation. A set of
 * encoded resources is updated on request, from the changes since its last request. So unused snapshots cost nothing.
 */
export class SnapshotCache {
  readonly collections: ReadonlyMap<string, McpCollection>;
  readonly #onRefused: (collection: string, error: EnvelopeError) => void;
  readonly #groups = new Map<SnapshotGroup, ReadonlyMap<string, View<Config>>>();
  readonly #forms = new Map<WireForm, EncodedSets>();
  readonly #listeners = new Set<CacheListener>();

  constructor({ collections = mcpCollections, onRefused = () => undefined }: SnapshotCacheOptions = {}) {
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.#onRefused = onRefused;
  }

  /** The groups with a snapshot, sorted. */
  get groups(): readonly SnapshotGroup[] {
    return [...this.#groups.keys()].toSorted();
  }

  /**
   * The content of a collection, as Galley has it. Undefined if the collection is not served, and before the first
   * snapshot of its group. A snapshot without the collection counts as an empty answer (SNAP-6).
   */
  view(collection: string): View<Config> | undefined {
    const row = this.collections.get(collection);
    const views = row && this.#groups.get(row.group);
    return views && (views.get(collection) ?? nothing);
  }

  /** The collections in the form of one dialect. Every call with one form returns the same object. */
  sets(form: WireForm): CollectionSets {
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    const made = new EncodedSets(form, this, this.#onRefused);
    this.#forms.set(form, made);
    return made;
  }

  distribute({ group, collections }: DistributedSnapshot): void {
    const before = this.#groups.get(group);
    this.#groups.set(group, collections);
    const changed = new Set<string>();
    for (const { name, group: own } of this.collections.values()) {
      if (own === group && (before === undefined || before.get(name) !== collections.get(name))) changed.add(name);
    }
    if (changed.size === 0) return;
    for (const listener of this.#listeners) listener.changed(changed);
  }

  onChange(listener: CacheListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const nothing: View<Config> = {
  name: "nothing",
  size: 0,
  get: () => undefined,
  entries: () => [],
  values: () => [],
};
