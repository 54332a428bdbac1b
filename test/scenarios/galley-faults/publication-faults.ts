import type { Collection } from "../../../src/collection/collection.ts";
import { type Config, configKey } from "../../../src/config/config.ts";
import type { Snapshot } from "../../../src/galley/snapshotter/snapshot.ts";
import type { Publication } from "../../../src/galley/snapshotter/snapshotter.ts";
import { compareTexts } from "../../../src/lib/compare.ts";

/** The gateways are always those of the snapshot before. */
export function lagging(publication: Publication): Publication {
  const collections = Array.from(publication.collections, ([name, collection]) => {
    return [name, name === "istio/networking/v1alpha3/gateways" ? lateBy(1, collection) : collection] as const;
  });
  return { ...publication, collections: new Map(collections) };
}

function lateBy(count: number, collection: Collection<Config>): Collection<Config> {
  const views = Array.from({ length: count }, () => collection.snapshot());
  return withSnapshot(collection, () => {
    const now = collection.snapshot();
    views.push(now);
    return views.shift() ?? now;
  });
}

/** Snapshots list what there is when they are asked, not when they were taken. */
export function live(publication: Publication): Publication {
  const { distributor } = publication;
  const distribute = (snapshot: Snapshot) => distributor.distribute(lively(snapshot, publication));
  return { ...publication, distributor: { distribute } };
}

function lively(snapshot: Snapshot, { collections }: Publication): Snapshot {
  const resources = (name: string) =>
    [...(collections.get(name)?.values() ?? [])].toSorted((a, b) => compareTexts(configKey(a), configKey(b)));
  return { ...snapshot, resources };
}

function withSnapshot(collection: Collection<Config>, snapshot: Collection<Config>["snapshot"]): Collection<Config> {
  return {
    name: collection.name,
    get size() {
      return collection.size;
    },
    get synced() {
      return collection.synced;
    },
    get: (key) => collection.get(key),
    entries: () => collection.entries(),
    values: () => collection.values(),
    snapshot,
  };
}

export function counted(publication: Publication): Publication {
  let count = 0;
  const distribute = (snapshot: Snapshot) => {
    count += 1;
    const version = String(count);
    publication.distributor.distribute({ ...snapshot, version: () => version });
  };
  return { ...publication, distributor: { distribute } };
}

export function twice(publication: Publication): Publication {
  const distribute = (snapshot: Snapshot) => {
    publication.distributor.distribute(snapshot);
    publication.distributor.distribute(snapshot);
  };
  return { ...publication, distributor: { distribute } };
}

/** Publishes the first change, and then none until as many as five more have come. */
export function deafWhilePending(publication: Publication): Publication {
  let ignored = 0;
  const { strategy } = publication;
  const onChange = (publish: () => void) => {
    ignored = (ignored + 1) % 6;
    if (ignored === 1) strategy.onChange(publish);
  };
  return { ...publication, strategy: { ...strategy, onChange } };
}
