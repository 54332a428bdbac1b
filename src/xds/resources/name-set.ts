import { hash64 } from "../../lib/hash.ts";
import { memoize } from "../../lib/memo.ts";

/**
 * The names that a stream requested. Equal sets are one object: a thousand Envoys of one kind share one set of names.
 */
export type NameSet = ReadonlySet<string>;

export const noNames: NameSet = new Set();

/** The names of `after` that are not in `before`. Found once, however many clients make this change. */
export function addedNames(before: NameSet, after: NameSet): NameSet {
  return before === after ? noNames : newNames([before, after]);
}

const newNames = memoize(([before, after]: readonly [NameSet, NameSet]): NameSet => after.difference(before));

/** Undecoded names: their number, the sum of their hashes, and a way to decode them. */
export interface UnreadNames {
  readonly size: number;
  readonly digest: bigint;
  /** Hash of their bytes: equal only for the same names in the same order. */
  readonly hash: bigint;
  texts(): readonly string[];
}

/** The most orders of names that are remembered. An Envoy has an order of its own. */
const mostOrders = 4096;

/** Shares equal name sets, in whatever order the names came. Holds the sets weakly. */
export class NameSets {
  readonly #sets = new Map<string, WeakRef<NameSet>>();
  /** By the hash of their bytes, the oldest first. */
  readonly #byBytes = new Map<bigint, WeakRef<NameSet>>();
  /** The last change of each set. */
  readonly #changes = new WeakMap<NameSet, { readonly key: string; readonly after: WeakRef<NameSet> }>();
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

  /**
   * The set with some names more and some less. Clients of one kind change their names alike, so the last change of
   * each set is remembered: the second client that makes it visits only the names that change.
   */
  change(before: NameSet, added: readonly string[], removed: readonly string[]): NameSet {
    const key = JSON.stringify([added, removed]);
    const last = this.#changes.get(before);
    const known = last?.key === key ? last.after.deref() : undefined;
    if (known !== undefined) return known;
    const names = new Set([...before, ...added]);
    for (const name of removed) names.delete(name);
    const after = this.intern(names);
    this.#changes.set(before, { key, after: new WeakRef(after) });
    return after;
  }

  /**
   * The set that another stream has already requested, found without decoding the names. A client that comes back
   * requests its names in the same order as before, so most sets are found by one hash.
   */
  find(names: Pick<UnreadNames, "size" | "digest" | "hash">): NameSet | undefined {
    if (names.size === 0) return noNames;
    const { hash } = names;
    const known = this.#byBytes.get(hash)?.deref();
    if (known !== undefined) return known;
    const found = this.#sets.get(keyOf(names))?.deref();
    if (found !== undefined) this.#remember(hash, found);
    return found;
  }

  #remember(hash: bigint, set: NameSet): void {
    const [oldest] = this.#byBytes.keys();
    if (oldest !== undefined && this.#byBytes.size >= mostOrders) this.#byBytes.delete(oldest);
    this.#byBytes.set(hash, new WeakRef(set));
  }
}

function keyOf({ size, digest }: Pick<UnreadNames, "size" | "digest">): string {
  return `${size}/${digest}`;
}
