import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "./resource.ts";
import type { ResourceSet } from "./resource-set.ts";

/** The changes that turn one set into another, sorted by name. */
export interface Difference {
  /** The current version of new resources and of resources whose bytes differ. */
  readonly changed: readonly Resource[];
  /** The last version of removed resources. */
  readonly removed: readonly Resource[];
}

const none: Difference = { changed: [], removed: [] };

/** Computed once per pair of sets. All streams at the same state share the result. */
export function difference(from: ResourceSet, to: ResourceSet): Difference {
  if (from === to) return none;
  return differencesFrom(from)(to);
}

const differencesFrom = oncePer((from: ResourceSet) => oncePer((to: ResourceSet) => compute(from, to)));

function compute(from: ResourceSet, to: ResourceSet): Difference {
  const shared = new Set(from.chunks).intersection(new Set(to.chunks));
  const before = new Map<string, Resource>();
  for (const chunk of from.chunks) {
    if (!shared.has(chunk)) for (const resource of chunk.resources) before.set(resource.name, resource);
  }
  const changed: Resource[] = [];
  for (const chunk of to.chunks) {
    if (shared.has(chunk)) continue;
    for (const resource of chunk.resources) {
      if (before.get(resource.name)?.version !== resource.version) changed.push(resource);
      before.delete(resource.name);
    }
  }
  return { changed, removed: [...before.values()] };
}
