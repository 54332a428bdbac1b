/** A copy of a plain value with one input changed, and the path of that input. */
export interface Changed {
  readonly path: string;
  readonly value: unknown;
}

/**
 * Every way to change one input of a plain value: each leaf gets another value, and each field or item is left out.
 * The paths come from the value itself, so that a new field is changed without a change of any test.
 */
export function* changesOf(value: unknown, path = ""): Iterable<Changed> {
  if (Array.isArray(value)) {
    yield* inEntries(value.entries(), path, (entries) => entries.map(([, item]) => item));
    yield { path: `${path}.length`, value: [...value, undefined] };
  } else if (value instanceof Map) {
    yield* inEntries(value.entries(), path, (entries) => new Map(entries));
    yield { path: `${path}.size`, value: new Map([...value, ["another key", undefined]]) };
  } else if (value instanceof Set) {
    for (const item of value) yield { path: `${path}.${String(item)}`, value: value.difference(new Set([item])) };
    yield { path: `${path}.size`, value: new Set([...value, "another item"]) };
  } else if (typeof value === "object" && value !== null) {
    yield* inEntries(Object.entries(value), path, Object.fromEntries);
  } else {
    yield { path, value: otherThan(value) };
  }
}

type Entry = readonly [key: PropertyKey, value: unknown];

function* inEntries(
  from: Iterable<Entry>,
  path: string,
  build: (entries: readonly Entry[]) => unknown,
): Iterable<Changed> {
  const entries = [...from];
  for (const [index, [key, value]] of entries.entries()) {
    const at = `${path}.${String(key)}`;
    yield { path: `${at} left out`, value: build(entries.toSpliced(index, 1)) };
    for (const inner of changesOf(value, at)) {
      yield { path: inner.path, value: build(entries.with(index, [key, inner.value])) };
    }
  }
}

/** Another value of the same type. */
function otherThan(value: unknown): unknown {
  if (typeof value === "string") return `${value},x=y`;
  if (typeof value === "number") return Number.isFinite(value) ? value + 1 : 0;
  if (typeof value === "bigint") return value + 1n;
  if (typeof value === "boolean") return !value;
  return value === undefined ? null : undefined;
}
