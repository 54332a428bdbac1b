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
  return hashText(JSON.stringify(content, withSortedKeys));
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b)));
}
