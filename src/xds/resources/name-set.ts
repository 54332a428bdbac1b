import { hash64 } from "../../lib/hash.ts";

/**
 * The names that a stream requested. Equal sets are one object: a thousand Envoys of one kind share one set of names.
 */
export type NameSet = ReadonlySet<string>;

export const noNames: NameSet = new Set();

/** Undecoded names: their number, the sum of their hashes, and a way to decode them. */
export interface UnreadNames {
  readonly size: number;
  readonly digest: bigint;
  texts(): readonly string[];
}

/** Shares equal name sets, in whatever order the names came. Holds the sets weakly. */
export class NameSets {
  readonly #sets = new Map<string, WeakRef<NameSet>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#sets.get(key)?.deref() === undefined) this.#sets.delete(key);
  });

  get size(): number {
    return this.#sets.size;
  }

  intern(names: Iterable<string>): NameSet {
    const set = new Set(names);
    if (set.size === 0) return noNames;
    let digest = 0n;
    for (const name of set) digest += hash64(name);
    const key = keyOf({ size: set.size, digest });
    const known = this.#sets.get(key)?.deref();
    if (known !== undefined && known.symmetricDifference(set).size === 0) return known;
    this.#sets.set(key, new WeakRef(set));
    this.#gone.register(set, key);
    return set;
  }

  /** The set that another stream has already requested, found without decoding the names. */
  find(names: Pick<UnreadNames, "size" | "digest">): NameSet | undefined {
    return names.size === 0 ? noNames : this.#sets.get(keyOf(names))?.deref();
  }
}

function keyOf({ size, digest }: Pick<UnreadNames, "size" | "digest">): string {
  return `${size}/${digest}`;
}
