import { type Message, toJson } from "@bufbuild/protobuf";
import type { Config } from "../../../src/config/config.ts";
import type { McpCollection } from "../../../src/mcp/collections.ts";
import type { RecordedResource } from "./session.ts";

/** `virtualservices` of `istio/networking/v1alpha3/virtualservices`. */
export function shortName(collection: string): string {
  return collection.replace(/^(?:istio|k8s)\/[^/]+\/v[^/]+\//, "");
}

/** The names of parts that differ between our object and a recorded one. Empty if they are equal. */
export function differingParts(ours: Config, theirs: RecordedResource, { kind }: McpCollection): readonly string[] {
  const { createTime = "", labels = {}, annotations = {} } = theirs.metadata ?? {};
  const parts = {
    labels: same(ours.labels, labels),
    annotations: same(ours.annotations, annotations),
    createTime:
      ours.createdAt === (createTime.startsWith("0001-01-01T00:00:00Z") ? 0 : Date.parse(createTime || "1970")),
    body: same(toJson(kind.schema, ours.spec as Message), bodyOf(theirs)),
  };
  return Object.entries(parts).flatMap(([part, equal]) => (equal ? [] : [part]));
}

/** Well-known types are below `value` in the JSON of an Any. */
function bodyOf({ body = {} }: RecordedResource): unknown {
  const { "@type": type, ...fields } = body;
  return String(type).endsWith("google.protobuf.Struct") ? fields["value"] : fields;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, canonical) === JSON.stringify(b, canonical);
}

/** Keys sorted, and numbers as texts: JSON writes an int64 as text, whatever our description calls it. */
function canonical(_key: string, value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
