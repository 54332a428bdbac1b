import { type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import { compareTexts } from "../lib/compare.ts";
import { hashText } from "../lib/hash.ts";
import type { Config } from "./config.ts";
import { partsDigest } from "./credential/sealed-parts.ts";

/**
 * A hash of the meaning of an object. It excludes the API version, because all versions of a kind mean the same. It
 * also excludes order and spelling in the file, because canonical JSON has neither.
 */
export function contentVersion(config: Omit<Config<Message>, "version" | "origin">, schema: DescMessage): string {
  const { kind, namespace, name, labels, annotations, createdAt, spec, sealed } = config;
  const secret = sealed === undefined ? {} : { secret: partsDigest(sealed) };
  const content = { kind, namespace, name, labels, annotations, createdAt, spec: toJson(schema, spec), ...secret };
  return hashText(canonicalJson(content));
}

/** JSON with sorted keys. Keys that look like indexes come first, in the order of numbers, as in every object. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields: string[] = [];
  for (const key of sortedKeys(value)) {
    const field: unknown = Reflect.get(value, key);
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${fields.join(",")}}`;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  const first = keys.findIndex((key) => !isIndex(key));
  if (first === -1) return keys;
  if (first === 0) return keys.toSorted(compareTexts);
  return [...keys.slice(0, first), ...keys.slice(first).toSorted(compareTexts)];
}

const largestIndex = 2 ** 32 - 2;

function isIndex(key: string): boolean {
  const number = Number(key);
  return number <= largestIndex && String(number >>> 0) === key;
}
