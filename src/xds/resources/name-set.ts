import { hash64 } from "../../lib/hash.ts";

/** The names a stream asked for. Equal sets are one object: a thousand Envoys of one kind hold one set of names. */
export type NameSet = ReadonlySet<string>;

export const noNames: NameSet = new Set();

/** Names that are not decoded yet: how many there are, the sum of their hashes, and how to get them as texts. */
export interface UnreadNames {
  readonly size: number;
  readonly digest: bigint;
  texts(): readonly string[];
}

/** Shares equal name sets, whatever the order they came in. Holds them weakly. */
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

  /** The set that some stream has asked for already, found without reading the names. */
  find(names: Pick<UnreadNames, "size" | "digest">): NameSet | undefined {
    return names.size === 0 ? noNames : this.#sets.get(keyOf(names))?.deref();
  }
}

function keyOf({ size, digest }: Pick<UnreadNames, "size" | "digest">): string {
  return `${size}/${digest}`;
}
