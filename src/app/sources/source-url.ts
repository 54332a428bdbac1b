import { MeshError } from "../../lib/errors.ts";
import type { ValueType } from "../options/option-values.ts";

/** One `--source`: `SCHEME:REST?KEY=VALUE&…`. */
export interface SourceUrl {
  /** The name of the source: its URL as the user wrote it, without `optional`. */
  readonly name: string;
  readonly scheme: string;
  /** The text between the colon of the scheme and the query. */
  readonly rest: string;
  readonly query: ReadonlyMap<string, string>;
}

/** The value types of the query keys. */
export type QueryTypes<T> = { readonly [Key in keyof T]: ValueType<T[Key]> };

const form = /^(?<scheme>[a-z][a-z+]*):(?<rest>[^?]*)(?:\?(?<query>.*))?$/u;

/** Throws `bad-option`. Directories may have any name, so after `file:` only `?optional=…` at the end is a query. */
export function parseSourceUrl(url: string): SourceUrl {
  const directory = /^file:(?<rest>.*?)(?:\?optional=(?<wait>[^?&]*))?$/u.exec(url)?.groups;
  if (directory !== undefined) {
    const { rest = "", wait } = directory;
    return {
      name: `file:${rest}`,
      scheme: "file",
      rest,
      query: new Map(wait === undefined ? [] : [["optional", wait]]),
    };
  }
  const { scheme, rest = "", query = "" } = form.exec(url)?.groups ?? {};
  if (scheme === undefined) throw badSource(url, "is not a URL; use file:DIR");
  const pairs = query.split("&").filter((pair) => pair !== "");
  const kept = pairs.filter((pair) => !pair.startsWith("optional="));
  return {
    name: `${scheme}:${rest}${kept.length === 0 ? "" : `?${kept.join("&")}`}`,
    scheme,
    rest,
    query: new Map(new URLSearchParams(query)),
  };
}

/** Reads the settings of a query; omitted settings are absent. Throws `bad-option`, also for unknown keys. */
export function readQuery<T extends object>({ name, query }: SourceUrl, types: QueryTypes<T>): Partial<T> {
  const settings: Partial<T> = {};
  for (const [key, value] of query) {
    if (key === "optional") continue;
    if (!isKeyOf(types, key)) {
      const known = ["optional", ...Object.keys(types)].toSorted().join(", ");
      throw badSource(name, `unknown setting ${key}; the settings are ${known}`);
    }
    const read = types[key].parse([value]);
    if (read === undefined) throw badSource(name, `expected ${types[key].expected} after ${key}=, found "${value}"`);
    settings[key] = read;
  }
  return settings;
}

/** Throws `bad-option` if only some of these settings are given. */
export function requireTogether({ name, query }: SourceUrl, keys: readonly string[]): void {
  const given = keys.filter((key) => query.has(key));
  if (given.length === 0 || given.length === keys.length) return;
  throw badSource(name, `${keys.map((key) => `${key}=`).join(" and ")} must be set together`);
}

export function badSource(url: string, problem: string): MeshError {
  return new MeshError("bad-option", `--source ${url}: ${problem}`);
}

function isKeyOf<T extends object>(types: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(types, key);
}
