import { hash64 } from "../../lib/hash.ts";

/** The names a stream asked for. Equal sets are one object: a thousand Envoys of one kind hold one set of names. */
export type NameSet = ReadonlySet<string>;

export const noNames: NameSet = new Set();

/** Shares equal name sets, whatever the order they came in. Holds them weakly. */
export class NameSets {
  readonly #sets = new Map<string, WeakRef<NameSet>>();
  readonly #gone = new FinalizationRegistry<string>((digest) => {
    if (this.#sets.get(digest)?.deref() === undefined) this.#sets.delete(digest);
  });

  get size(): number {
    return this.#sets.size;
  }

  intern(names: Iterable<string>): NameSet {
    const set = new Set(names);
    if (set.size === 0) return noNames;
    let sum = 0n;
    for (const name of set) sum += hash64(name);
    const digest = `${set.size}/${sum}`;
    const known = this.#sets.get(digest)?.deref();
    if (known !== undefined && known.symmetricDifference(set).size === 0) return known;
    this.#sets.set(digest, new WeakRef(set));
    this.#gone.register(set, digest);
    return set;
  }
}
