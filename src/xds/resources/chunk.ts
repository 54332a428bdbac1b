import { compareTexts } from "../../lib/compare.ts";
import { digestOf } from "./digest.ts";
import type { Resource } from "./resource.ts";

/** Target size. Small enough that one edit copies little, large enough that a response has few segments. */
const target = 64;

/**
 * A run of resources: sorted by name, never empty, immutable. Its concatenated bytes are built once, at the first send.
 */
export class Chunk {
  readonly resources: readonly Resource[];
  readonly first: string;
  readonly digest: bigint;
  #bulk: Uint8Array | undefined;

  private constructor(resources: readonly [Resource, ...Resource[]]) {
    this.resources = resources;
    this.first = resources[0].name;
    this.digest = resources.reduce((sum, resource) => sum + digestOf(resource), 0n);
  }

  /** Packs these resources into chunks. Names without a resource are skipped. */
  static pack(entries: ReadonlyMap<string, Resource | undefined>): Chunk[] {
    const sorted = [...entries.values()].filter((resource) => resource !== undefined).toSorted(byName);
    const chunks: Chunk[] = [];
    const count = Math.max(1, Math.round(sorted.length / target));
    for (let index = 0; index < count; index++) {
      const from = Math.floor((index * sorted.length) / count);
      const [head, ...tail] = sorted.slice(from, Math.floor(((index + 1) * sorted.length) / count));
      if (head !== undefined) chunks.push(new Chunk([head, ...tail]));
    }
    return chunks;
  }

  get(name: string): Resource | undefined {
    let low = 0;
    let high = this.resources.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const resource = this.resources[middle];
      if (resource === undefined || resource.name === name) return resource;
      if (resource.name < name) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** The chunks that replace this one: none if it became empty, several if it grew. */
  edit(changes: ReadonlyMap<string, Resource | undefined>): Chunk[] {
    const entries = new Map<string, Resource | undefined>(this.resources.map((each) => [each.name, each]));
    for (const [name, resource] of changes) entries.set(name, resource);
    return Chunk.pack(entries);
  }

  get bulk(): Uint8Array {
    this.#bulk ??= Buffer.concat(this.resources.map((resource) => resource.entry));
    return this.#bulk;
  }
}

function byName(a: Resource, b: Resource): number {
  return compareTexts(a.name, b.name);
}
