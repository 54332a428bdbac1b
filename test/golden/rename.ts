import type { JsonValue } from "@bufbuild/protobuf";
import { parseAllDocuments } from "yaml";

/** Objects of a scenario as plain data. */
export type ScenarioObjects = readonly JsonValue[];

export function objectsIn(texts: readonly string[]): ScenarioObjects {
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJSON() as JsonValue))
    .filter(Boolean);
}

/** Names with a meaning of their own, in Istio or for the proxies of the scenarios. */
const fixed = new Set([
  "mesh",
  "default",
  "istio-system",
  "kubernetes",
  "localhost",
  "http",
  "tcp",
  "tls",
  "https",
  "grpc",
]);

/** The names that the authors could have chosen differently: objects, subsets, first labels of their hosts. */
export function namesIn(objects: ScenarioObjects): readonly string[] {
  const names = new Set<string>();
  walk(objects, (key, text, path) => {
    const ofObject = key === "name" && path.at(-1) === "metadata";
    const ofSubset = key === "subset" || (key === "name" && path.includes("subsets"));
    if (ofObject || ofSubset) names.add(text);
    if (key === "host" || path.at(-1) === "hosts") names.add(text.split("/").at(-1)?.split(".")[0] ?? "");
  });
  return [...names].filter((name) => /^[a-z][a-z0-9-]*$/u.test(name) && !fixed.has(name));
}

/** The same objects with `prefix` in front of every name. All names change, so that their order stays. */
export function renamed(value: JsonValue, names: readonly string[], prefix: string): JsonValue {
  if (names.length === 0) return value;
  const word = new RegExp(`(?<![\\w-])(?:${names.map((name) => RegExp.escape(name)).join("|")})(?![\\w-])`, "gu");
  const rename = (text: string) => text.replaceAll(word, (name) => `${prefix}${name}`);
  return mapped(value, (key, text) => (kept.has(key) ? text : rename(text)));
}

/** Fields that hold no names of the author, though they may look like one. */
const kept = new Set(["apiVersion", "kind", "protocol", "appProtocol"]);

function mapped(value: JsonValue, change: (key: string, text: string) => string, key = ""): JsonValue {
  if (typeof value === "string") return change(key, value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change, name)]));
}

type Visit = (key: string, text: string, path: readonly string[]) => void;

function walk(value: JsonValue | ScenarioObjects, visit: Visit, key = "", path: readonly string[] = []): void {
  if (typeof value === "string") visit(key, value, path);
  else if (Array.isArray(value)) for (const item of value) walk(item, visit, "", [...path, key]);
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) walk(item, visit, name, key === "" ? path : [...path, key]);
  }
}
