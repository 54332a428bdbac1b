import { oncePer } from "../../lib/memo.ts";
import type { ResourceType } from "../resource-type.ts";
import type { Chunk } from "./chunk.ts";
import { heldDigestOf } from "./digest.ts";
import type { NameSet } from "./name-set.ts";
import type { Resource } from "./resource.ts";
import type { ResourceSet } from "./resource-set.ts";

/** The resources of one type for one client at one moment, in parts. Parts share no names. */
export type Target = readonly ResourceSet[];

/** The resource of this name, from any part. */
export function find(target: Target, name: string): Resource | undefined {
  for (const set of target) {
    const resource = set.get(name);
    if (resource !== undefined) return resource;
  }
  return undefined;
}

/** The number of resources and the sum of their digests, comparable with those of the versions that a client holds. */
export interface TargetDigest {
  readonly size: number;
  readonly digest: bigint;
}

const digestOfChunk = oncePer((chunk: Chunk) => sumOf(chunk.resources, heldDigestOf));

/** Successive sets share chunks, so little is computed again. */
const digestOfSet = oncePer((set: ResourceSet) => sumOf(set.chunks, digestOfChunk));

function sumOf<T>(each: readonly T[], digest: (one: T) => bigint): bigint {
  return each.reduce((sum, one) => sum + digest(one), 0n);
}

/** Digest of all resources, for a wildcard client. */
export function digestOfAll(target: Target): TargetDigest {
  const size = target.reduce((sum, set) => sum + set.size, 0);
  return { size, digest: sumOf(target, digestOfSet) };
}

const named = new WeakMap<NameSet, { readonly key: string; readonly digest: TargetDigest }>();

/**
 * Digest of the resources with these names, stand-ins for missing ones included. Cached per name set for the newest
 * target, because after a restart all clients of one kind request the same names.
 */
export function digestOfNamed(type: ResourceType, names: NameSet, target: Target): TargetDigest {
  const key = [type.typeUrl, ...target.map((set) => set.version)].join();
  const known = named.get(names);
  if (known?.key === key) return known.digest;
  let size = 0;
  let sum = 0n;
  for (const name of names) {
    const resource = find(target, name) ?? type.absent?.(name);
    if (resource === undefined) continue;
    size++;
    sum += heldDigestOf(resource);
  }
  const digest = { size, digest: sum };
  named.set(names, { key, digest });
  return digest;
}
