import { deepEqual } from "../../lib/equal.ts";
import { hex64 } from "../../lib/hash.ts";
import { Chunk } from "./chunk.ts";
import type { Resource } from "./resource.ts";

/** An update of a set. A covered name without a resource is removed; uncovered names stay unchanged. */
export interface ResourceUpdate {
  readonly covers: "all" | ReadonlySet<string>;
  readonly resources: readonly Resource[];
}

/**
 * All resources of one part of one type at one moment. Immutable and sorted by name. Successive sets share chunks.
 * Responses send chunks ({@link segments}), and shared chunks make a comparison of two successive sets cheap.
 */
export class ResourceSet {
  static readonly empty = new ResourceSet([]);
  readonly size: number;
  /** Digest of all names and versions, independent of order. */
  readonly digest: bigint;
  /** The digest as text, unless the source sets a version. Equal content has equal versions in every process. */
  readonly version: string;
  readonly chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[], version?: string) {
    this.chunks = chunks;
    this.size = chunks.reduce((sum, chunk) => sum + chunk.resources.length, 0);
    this.digest = chunks.reduce((sum, chunk) => sum + chunk.digest, 0n);
    this.version = version ?? hex64(BigInt.asUintN(64, this.digest));
  }

  get(name: string): Resource | undefined {
    return this.chunks[this.#indexOf(name)]?.get(name);
  }

  *[Symbol.iterator](): Iterator<Resource> {
    for (const chunk of this.chunks) yield* chunk.resources;
  }

  /** The bytes of the whole set, in order, as shared buffers. */
  segments(): readonly Uint8Array[] {
    return this.chunks.map((chunk) => chunk.bulk);
  }

  /** The same resources under a version that the source chose. */
  versioned(version: string): ResourceSet {
    return version === this.version ? this : new ResourceSet(this.chunks, version);
  }

  /** The set after an update. Returns the same object when no byte and no owner differs. */
  apply({ covers, resources }: ResourceUpdate): ResourceSet {
    const next = new Map<string, Resource | undefined>();
    if (covers === "all") for (const resource of this) next.set(resource.name, undefined);
    else for (const name of covers) next.set(name, undefined);
    for (const resource of resources) next.set(resource.name, resource);

    const edits = new Map<number, Map<string, Resource | undefined>>();
    for (const [name, resource] of next) {
      const before = this.get(name);
      const after = sharing(before, resource);
      if (before === after) continue;
      const index = this.#indexOf(name);
      const edit = edits.get(index) ?? new Map<string, Resource | undefined>();
      edits.set(index, edit.set(name, after));
    }
    if (edits.size === 0) return this;
    if (this.chunks.length === 0) return new ResourceSet(Chunk.pack(edits.get(-1) ?? new Map()));
    const chunks = this.chunks.flatMap((chunk, index) => {
      const edit = edits.get(index);
      return edit === undefined ? [chunk] : chunk.edit(edit);
    });
    return new ResourceSet(chunks);
  }

  /** The chunk that holds `name` or would hold it; -1 only in the empty set. */
  #indexOf(name: string): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.chunks[middle]?.first ?? "") <= name) low = middle;
      else high = middle - 1;
    }
    return high === -1 ? -1 : low;
  }
}

/** Stores equal bytes once. Keeps the old object if the owners are equal too. */
function sharing(before: Resource | undefined, after: Resource | undefined): Resource | undefined {
  if (before === after || before === undefined || after === undefined) return after;
  if (before.version !== after.version || Buffer.compare(before.entry, after.entry) !== 0) return after;
  const isSame = deepEqual(before.owners, after.owners) && deepEqual(before.partOwners, after.partOwners);
  return isSame ? before : { ...after, entry: before.entry };
}
