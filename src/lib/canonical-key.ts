import { assert } from "./assert.ts";
import { compareTexts } from "./compare.ts";
import { sortedKeys } from "./sorted-keys.ts";

/**
 * Writes a plain value as text. The encoding is injective: different values give different texts, whatever characters
 * they contain. Equal content gives the same text: the order of names in an object, and of entries in a Map or Set,
 * does not count. The text is readable, because debug pages show it.
 *
 * Plain values are texts, numbers, booleans, bigints, `undefined`, `null`, and arrays, objects, Maps and Sets of plain
 * values. The caller must never change a value after it built its key, because keys of nested values are cached.
 */
export function canonicalKey<T>(value: T & Plain<T>): string {
  return isComposite(value) ? composite(value) : leaf(value);
}

/** The type itself if all of its values are plain, else `never` at the place that is not. */
export type Plain<T> = T extends string | number | boolean | bigint | undefined | null
  ? T
  : T extends (...args: never) => unknown
    ? never
    : T extends ReadonlySet<infer V>
      ? ReadonlySet<Plain<V>>
      : T extends ReadonlyMap<infer K, infer V>
        ? ReadonlyMap<Plain<K>, Plain<V>>
        : { readonly [Name in keyof T]: Plain<T[Name]> };

/** Cached, because nested values such as labels and settings are part of many keys and live longer than these keys. */
const known = new WeakMap<object, string>();

function keyOf(value: unknown): string {
  if (!isComposite(value)) return leaf(value);
  // Lists are short and mostly made for one key: to remember them costs more than to write them again.
  if (Array.isArray(value)) return composite(value);
  const before = known.get(value);
  if (before !== undefined) return before;
  const key = composite(value);
  known.set(value, key);
  return key;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Most names and values need no escapes, and a look is cheaper than `JSON.stringify`. */
const unescaped = /^[\w .:/*|,=@-]*$/;

function quoted(text: string): string {
  return unescaped.test(text) ? `"${text}"` : JSON.stringify(text);
}

function leaf(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  const isPlain = typeof value === "number" || typeof value === "boolean" || value === undefined || value === null;
  assert(isPlain, `a key cannot contain a ${typeof value}`);
  return String(value);
}

function list(values: readonly unknown[]): string {
  if (values.every((value) => typeof value === "string")) return JSON.stringify(values);
  let key = "[";
  for (const value of values) key += key === "[" ? keyOf(value) : `,${keyOf(value)}`;
  return `${key}]`;
}

function composite(value: object): string {
  if (Array.isArray(value)) return list(value);
  if (value instanceof Map) return `Map{${sorted(Array.from(value, ([key, each]) => `${keyOf(key)}:${keyOf(each)}`))}}`;
  if (value instanceof Set) return `Set{${sorted(Array.from(value, keyOf))}}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, "a key contains plain values, no objects of a class");
  const record = value as Readonly<Record<string, unknown>>;
  let key = "{";
  for (const name of sortedKeys(record)) key += `${key === "{" ? "" : ","}${quoted(name)}:${keyOf(record[name])}`;
  return `${key}}`;
}

function sorted(entries: readonly string[]): string {
  return entries.toSorted(compareTexts).join();
}
