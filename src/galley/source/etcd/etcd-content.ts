import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import { deepEqual } from "../../../lib/equal.ts";
import type { SourceEvent } from "../source.ts";
import type { EtcdChange, EtcdEntry } from "./etcd-member.ts";
import { type ReadValue, readValue, type ValueContext } from "./read-value.ts";

/** What came of the value of one key. */
interface Holding {
  /** The revision that wrote it. */
  readonly revision: number;
  /** What the key stands for now: its last good object, if it ever had one. */
  readonly object: ReadValue["object"];
  readonly issues: readonly Issue[];
}

/** What the keys below a prefix hold, and what is new about it. A value that cannot be used leaves its object as it was. */
export class EtcdContent {
  readonly #context: ValueContext;
  readonly #holdings = new Map<string, Holding>();

  constructor(context: ValueContext) {
    this.#context = context;
  }

  /** How many keys there are once these changes are made. */
  keysAfter(changes: readonly EtcdChange[]): number {
    const puts = new Map(changes.map(({ key, type }) => [key, type === "put"]));
    const difference = Array.from(puts, ([key, isThere]) => Number(isThere) - Number(this.#holdings.has(key)));
    return difference.reduce((sum, change) => sum + change, this.#holdings.size);
  }

  /** The changes of one or more transactions, in order: one that is broken may follow one that is good. */
  apply(changes: readonly EtcdChange[]): readonly SourceEvent[] {
    return changes.flatMap((change) => [...(change.type === "put" ? this.put(change) : this.#delete(change.key))]);
  }

  /** Nothing, if this very value was read before. What was deleted meanwhile is not kept, though nobody saw it go. */
  *put({ key, value, revision, since }: EtcdEntry): Iterable<SourceEvent> {
    const before = this.#holdings.get(key);
    if (before?.revision === revision) return;
    const lastGood = before !== undefined && since <= before.revision ? before.object : undefined;
    const { object = lastGood, issues } = readValue(key, value, this.#context);
    this.#holdings.set(key, { revision, object, issues });
    yield* difference(key, before, { object, issues });
  }

  /** For when all keys were read anew: those that were not seen are gone. */
  *retain(seen: ReadonlySet<string>): Iterable<SourceEvent> {
    for (const key of this.#holdings.keys()) if (!seen.has(key)) yield* this.#delete(key);
  }

  *#delete(key: string): Iterable<SourceEvent> {
    const before = this.#holdings.get(key);
    this.#holdings.delete(key);
    yield* difference(key, before, { object: undefined, issues: [] });
  }
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
