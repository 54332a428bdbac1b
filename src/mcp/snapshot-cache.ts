import type { View } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import type { Cancel } from "../lib/time/clock.ts";
import { type McpCollection, mcpCollections } from "./collections.ts";
import type { EnvelopeError } from "./envelope/envelope-error.ts";
import { type CollectionSets, type Form, FormedSets } from "./formed-sets.ts";

/** What a snapshot of Galley is, as far as it matters here. */
export interface DistributedSnapshot {
  readonly group: SnapshotGroup;
  readonly collections: ReadonlyMap<string, View<Config>>;
}

/** Told of what happens to the cache; streams are. */
export interface CacheListener {
  /** These may hold something new: at least one object is another one. */
  changed(collections: ReadonlySet<string>): void;
  /** Whoever waits for something of this group is to be sent away (SNAP-5). */
  dismissed(group: SnapshotGroup): void;
}

export interface SnapshotCacheOptions {
  /** What is served; all that travels unless said otherwise. */
  readonly collections?: readonly McpCollection[];
  /** Takes objects that cannot be sent (WIRE-2). What was sent of them before stays. */
  readonly onRefused?: (collection: string, error: EnvelopeError) => void;
}

/**
 * The newest snapshot of each group, for all who serve it: one cache, several dialects. Nothing is computed when a
 * snapshot comes. Sets of encoded resources are brought up to date when somebody asks for one, from what changed since
 * it was last asked for: snapshots that nobody wanted cost nothing.
 */
export class SnapshotCache {
  readonly collections: ReadonlyMap<string, McpCollection>;
  readonly #onRefused: (collection: string, error: EnvelopeError) => void;
  readonly #groups = new Map<SnapshotGroup, ReadonlyMap<string, View<Config>>>();
  readonly #forms = new Map<Form, FormedSets>();
  readonly #listeners = new Set<CacheListener>();

  constructor({ collections = mcpCollections, onRefused = () => undefined }: SnapshotCacheOptions = {}) {
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.#onRefused = onRefused;
  }

  /** The groups of which there is a snapshot, sorted. */
  get groups(): readonly SnapshotGroup[] {
    return [...this.#groups.keys()].toSorted();
  }

  /**
   * What the collection holds, as Galley has it. Undefined for a collection that is not served, and before the first
   * snapshot of its group; a snapshot that lacks it means that there is nothing in it, which is an answer (SNAP-6).
   */
  view(collection: string): View<Config> | undefined {
    const row = this.collections.get(collection);
    const views = row && this.#groups.get(row.group);
    return views && (views.get(collection) ?? nothing);
  }

  /** The collections in the form of one dialect: every call with one form gives the same object. */
  sets(form: Form): CollectionSets {
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    const made = new FormedSets(form, this, this.#onRefused);
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
    if (changed.size > 0) this.#tell((listener) => listener.changed(changed));
  }

  /** Forgets the snapshot of a group. Whoever waits goes on waiting, for the next one (SNAP-4). */
  clearSnapshot(group: SnapshotGroup): void {
    this.#groups.delete(group);
  }

  /** Sends away all who wait for something of the group; their statuses go with their streams (SNAP-5). */
  clearStatus(group: SnapshotGroup): void {
    this.#tell((listener) => listener.dismissed(group));
  }

  onChange(listener: CacheListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: (listener: CacheListener) => void): void {
    for (const listener of this.#listeners) event(listener);
  }
}

const nothing: View<Config> = {
  name: "nothing",
  size: 0,
  get: () => undefined,
  entries: () => [],
  values: () => [],
};
