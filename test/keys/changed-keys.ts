import { changesOf } from "./changes.ts";
import type { RecordedValue } from "./recorded-memos.ts";

type Key = Pick<RecordedValue, "held" | "facts">;

/** The key with one object replaced by an equal one or left out, or with one fact changed. */
export function* changedKeys({ held, facts }: Key): Iterable<Key & { readonly path: string }> {
  for (const [index, object] of held.entries()) {
    yield { path: `object ${index}`, held: held.with(index, { ...object }), facts };
    if (object !== undefined) yield { path: `object ${index} left out`, held: held.with(index, undefined), facts };
  }
  for (const { path, value } of changesOf(facts)) yield { path: `fact ${path}`, held, facts: value };
}

/** One key of all keys that have the same inputs, whatever the values of the inputs. */
export function ofEachShape(keys: readonly Key[]): readonly Key[] {
  const shapeOf = (key: Key) => Array.from(changedKeys(key), ({ path }) => path).join("\n");
  return [...new Map(keys.map((key) => [shapeOf(key), key])).values()];
}
