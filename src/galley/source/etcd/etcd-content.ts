import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import { isSubstitute, substituteIssue } from "../../../config/parse/substitute.ts";
import type { EtcdChange, EtcdEntry } from "../../../etcd/etcd-values.ts";
import { deepEqual } from "../../../lib/equal.ts";
import { hash64 } from "../../../lib/hash.ts";
import type { SourceEvent } from "../source.ts";
import { type ReadValue, readValue, type ValueContext } from "./read-value.ts";

/** The result of reading the value of one key. */
interface Holding {
  /** The revision that wrote the value. */
  readonly revision: number;
  /** Of the value: a restored store gives the same revision to another value. */
  readonly hash: bigint;
  /** The current object of the key: its last good object, if it ever had one. */
  readonly object: ReadValue["object"];
  readonly issues: readonly Issue[];
}

/** The values of the keys below a prefix, and the changes to them. An unusable value keeps the last good object. */
export class EtcdContent {
  readonly #context: ValueContext;
  readonly #holdings = new Map<string, Holding>();

  constructor(context: ValueContext) {
    this.#context = context;
  }

  /** The number of keys. */
  get size(): number {
    return this.#holdings.size;
  }

  /** The key that was written last, of those that are still there. */
  get newest(): string | undefined {
    let newest: { readonly key: string; readonly revision: number } | undefined;
    for (const [key, { revision }] of this.#holdings) {
      if (newest === undefined || revision > newest.revision) newest = { key, revision };
    }
    return newest?.key;
  }

  /** Whether this is the value of the key that was read before. */
  has({ key, value, revision }: EtcdEntry): boolean {
    const holding = this.#holdings.get(key);
    return holding?.revision === revision && holding.hash === hash64(value);
  }

  /** The number of keys after these changes. */
  keysAfter(changes: readonly EtcdChange[]): number {
    const puts = new Map(changes.map(({ key, type }) => [key, type === "put"]));
    const difference = Array.from(puts, ([key, isThere]) => Number(isThere) - Number(this.#holdings.has(key)));
    return difference.reduce((sum, change) => sum + change, this.#holdings.size);
  }

  /** Applies the changes of one or more transactions, in order. A broken value may follow a good one. */
  apply(changes: readonly EtcdChange[]): readonly SourceEvent[] {
    return changes.flatMap((change) => [...(change.type === "put" ? this.put(change) : this.#delete(change.key))]);
  }

  /**
   * Yields nothing if this value was read before. A key that was deleted and created again loses its old object, even
   * if the deletion was not observed.
   */
  *put(entry: EtcdEntry): Iterable<SourceEvent> {
    if (this.has(entry)) return;
    const { key, value, revision, since } = entry;
    const before = this.#holdings.get(key);
    const lastGood = before !== undefined && since <= before.revision ? before.object : undefined;
    const read = readValue(key, value, this.#context);
    // A substitute stays until the value is valid or gone: another one could select fewer workloads.
    const object = withRevision(read.object, revision) ?? lastGood ?? read.substitute;
    const isDenied = object !== undefined && isSubstitute(object.config);
    const issues = isDenied ? [...read.issues, substituteIssue(object.config)] : read.issues;
    this.#holdings.set(key, { revision, hash: hash64(value), object, issues });
    yield* difference(key, before, { object, issues });
  }

  /** Removes keys that were not seen, after all keys were read again. */
  *retain(seen: ReadonlySet<string>): Iterable<SourceEvent> {
    for (const key of this.#holdings.keys()) if (!seen.has(key)) yield* this.#delete(key);
  }

  *#delete(key: string): Iterable<SourceEvent> {
    const before = this.#holdings.get(key);
    this.#holdings.delete(key);
    yield* difference(key, before, { object: undefined, issues: [] });
  }
}

function withRevision(object: Holding["object"], revision: number): Holding["object"] {
  if (object === undefined) return undefined;
  const { config } = object;
  return { ...object, config: { ...config, origin: { ...config.origin, revision: String(revision) } } };
}

type State = Pick<Holding, "object" | "issues">;

function* difference(key: string, before: State | undefined, after: State): Iterable<SourceEvent> {
  const left = before?.object;
  const { object, issues } = after;
  if (left !== undefined && left.collection !== object?.collection)
    yield { type: "deleted", collection: left.collection, key: configKey(left.config) };
  if (object !== undefined && !isSameObject(left, object)) yield { type: "upserted", ...object };
  if (!deepEqual(issues, before?.issues ?? [])) yield { type: "issues", part: key, issues };
}

function isSameObject(a: State["object"], b: { readonly config: Config; readonly collection: string }): boolean {
  return a !== undefined && a.collection === b.collection && isSameConfig(a.config, b.config);
}
