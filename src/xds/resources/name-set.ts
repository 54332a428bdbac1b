import { memoize } from "../../lib/memo.ts";
import { digestOfRun } from "../../lib/run-sum.ts";

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

/** Versions that a client holds by name: their number, and sums over entries and over names alone. */
export interface UnreadVersions {
  readonly size: number;
  readonly digest: bigint;
  readonly nameDigest: bigint;
}

/** The most orders of names that are remembered. An Envoy has an order of its own. */
const mostOrders = 4096;
/** The most lists of versions whose names are remembered. Clients of one kind hold the same versions. */
const mostVersions = 256;

/** Shares equal name sets, in whatever order the names came. Holds the sets weakly. */
export class NameSets {
  readonly #sets = new Map<string, WeakRef<NameSet>>();
  /** By the hash of their bytes, the oldest first. */
  readonly #byBytes = new Map<bigint, WeakRef<NameSet>>();
  readonly #digests = new WeakMap<NameSet, bigint>();
  /** The sum over the names, by the sum over the entries, the oldest first. */
  readonly #namesOfVersions = new Map<bigint, bigint>();
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
    for (const name of set) digest += digestOfRun(name);
    const key = keyOf({ size: set.size, digest });
    const known = this.#sets.get(key)?.deref();
    if (known !== undefined && known.symmetricDifference(set).size === 0) return known;
    this.#sets.set(key, new WeakRef(set));
    this.#digests.set(set, digest);
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

  /**
   * Whether a client holds versions of exactly these names. Of equal versions, the names are looked at once, however many
   * clients hold them.
   */
  areOf(names: NameSet, held: UnreadVersions): boolean {
    return names.size === held.size && this.#digests.get(names) === this.#nameDigestOf(held);
  }

  #nameDigestOf(held: UnreadVersions): bigint {
    const known = this.#namesOfVersions.get(held.digest);
    if (known !== undefined) return known;
    const { nameDigest } = held;
    put(this.#namesOfVersions, held.digest, nameDigest, mostVersions);
    return nameDigest;
  }

  #remember(hash: bigint, set: NameSet): void {
    put(this.#byBytes, hash, new WeakRef(set), mostOrders);
  }
}

/** Adds an entry. Above the limit, the oldest one goes. */
function put<V>(map: Map<bigint, V>, key: bigint, value: V, most: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size >= most) map.delete(oldest);
  map.set(key, value);
}

function keyOf({ size, digest }: Pick<UnreadNames, "size" | "digest">): string {
  return `${size}/${digest}`;
}
