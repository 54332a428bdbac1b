import { type Limits, limitsOf, overLimit } from "../../lib/bounded/limit.ts";
import type { MeshError } from "../../lib/errors.ts";
import { sinkLimits } from "./sink-limits.ts";

export type SinkLimits = Partial<Limits<typeof sinkLimits>>;

/** The effect of a message on the held size. */
export interface SizeChange {
  /** True if all other resources are gone, false if only those in `removed` are. */
  readonly whole: boolean;
  readonly removed: readonly string[];
  /** Bytes by name. Includes unreadable resources, because they are remembered, too. */
  readonly came: ReadonlyMap<string, number>;
}

/** The held size of one collection, by name. Each message may be small while their sum is too large. */
export class HeldSizes {
  readonly #what: string;
  readonly #limits: Limits<typeof sinkLimits>;
  #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(what: string, limits: SinkLimits = {}) {
    this.#what = what;
    this.#limits = limitsOf(sinkLimits, limits);
  }

  /** Records a message, or returns the limit that it would exceed. Then no part of it may be held. */
  take({ whole, removed, came }: SizeChange): MeshError | undefined {
    const before = whole ? new Map<string, number>() : this.#sizes;
    const replaced = [...new Set([...removed, ...came.keys()])].flatMap((name) => before.get(name) ?? []);
    const count = before.size - replaced.length + came.size;
    const kept = replaced.reduce((rest, size) => rest - size, whole ? 0 : this.#bytes);
    const bytes = came.values().reduce((total, size) => total + size, kept);
    const { objects: mostObjects, bytes: mostBytes } = this.#limits;
    if (count > mostObjects) return overLimit(this.#what, mostObjects, "objects", count);
    if (bytes > mostBytes) return overLimit(this.#what, mostBytes, "bytes", bytes);
    for (const name of removed) before.delete(name);
    for (const [name, size] of came) before.set(name, size);
    this.#sizes = before;
    this.#bytes = bytes;
    return undefined;
  }
}
