import { createHash } from "node:crypto";
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import type { Config, Labels, SourceLocation } from "../config/config.ts";
import { configMap, secret } from "../config/kinds/secret.ts";
import { kindByCollection } from "../config/kinds.ts";
import { specJson } from "../config/spec-json.ts";
import { isMapping } from "../lib/is-mapping.ts";
import { withoutKeys } from "../lib/without-keys.ts";

/** The content of an object as the log keeps it: everything that resources are made from, except secrets. */
export interface LoggedObject {
  /** The collection that its source fills. */
  readonly collection: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: number;
  readonly version: string;
  /** The JSON of its message. Of Secrets and ConfigMaps, only the names of their parts. */
  readonly spec: JsonValue;
  /** As its author wrote it. Absent for an object from a registry, and if a secret may be in it. */
  readonly text?: string;
  /** Whether a private key, a token or a password was left out. Resources made from it are not the same. */
  readonly redacted?: true;
}

/** Where an object came from, and who wrote it where the source knows that. */
export interface Provenance {
  readonly source: string;
  /** `file:line`, or the path in a registry. */
  readonly reference: string;
  readonly author?: string;
  /** The revision in the store of the source. */
  readonly revision?: string;
}

/** The kinds whose content is never logged. */
const sealedCollections = new Set([secret.collection, configMap.collection]);

/**
 * A text with further objects, or with characters in an escaped form: a Secret could be in it without being seen.
 */
const unclearText = /List\b|\\[ux]|\bSecret\b/iu;

export function loggedObject(config: Config, collection: string): LoggedObject {
  const { kind, apiVersion, namespace, name, createdAt, version, origin } = config;
  const plain: JsonObject = {
    labels: { ...config.labels },
    annotations: { ...config.annotations },
    spec: specOf(config, collection),
  };
  const clean = withoutKeys(plain);
  const isRedacted = clean !== plain;
  const hasText =
    origin.text !== undefined && !sealedCollections.has(collection) && !isRedacted && !unclearText.test(origin.text);
  const text = hasText && withoutKeys(origin.text ?? "") === origin.text ? trimmed(origin.text ?? "") : undefined;
  const { labels, annotations, spec } = clean as Pick<LoggedObject, "labels" | "annotations" | "spec">;
  const content = { collection, kind, apiVersion, namespace, name, labels, annotations, createdAt, version, spec };
  return {
    ...content,
    ...(text !== undefined && { text }),
    ...(isRedacted && { redacted: true }),
  };
}

/** Without the marker of the document and blank lines at its start and end, which other objects of the file decide. */
function trimmed(text: string): string {
  return `${text.replace(/^(?:---[ \t]*\r?\n|[ \t]*\r?\n)*/u, "").trimEnd()}\n`;
}

/** The id of the content: equal for equal content, in every log. */
export function objectIdOf(json: string): string {
  return createHash("sha256").update(json).digest("hex").slice(0, 32);
}

function specOf(config: Config, collection: string): JsonValue {
  if (sealedCollections.has(collection)) return namesOnly(config.spec);
  return specJson(config, kindByCollection(collection)?.schema);
}

function namesOnly(spec: unknown): JsonValue {
  const parts = isMapping(spec) ? [spec["data"], spec["binaryData"]].filter(isMapping) : [];
  const names = parts.flatMap((part) => Object.keys(part)).toSorted();
  const type = isMapping(spec) && typeof spec["type"] === "string" ? { type: spec["type"] } : {};
  return { data: Object.fromEntries(names.map((name) => [name, ""])), ...type };
}

/** The object that the pipeline gets to make resources of it again. Undefined if the content cannot be read. */
export function configOf(object: LoggedObject, { source, reference }: Provenance): Config | undefined {
  const { collection: _, text, redacted: _redacted, ...content } = object;
  const spec = messageOf(object);
  if (spec === undefined) return undefined;
  const place = placeOf(reference);
  const origin = { source, reference, ...(text !== undefined && { text }), locate: () => place };
  return { ...content, spec, origin };
}

function messageOf({ collection, spec }: LoggedObject): unknown {
  const row = kindByCollection(collection);
  if (row === undefined) return spec;
  try {
    return fromJson(row.schema, spec, { ignoreUnknownFields: true });
  } catch {
    return undefined;
  }
}

/** Undefined for a reference without a line. */
function placeOf(reference: string): SourceLocation | undefined {
  const { file, line } = /^(?<file>.+):(?<line>\d{1,9})$/u.exec(reference)?.groups ?? {};
  return file === undefined ? undefined : { file, line: Number(line), column: 1 };
}

/** Whether only the names of its parts are logged, or less than its author wrote. */
export function isSealed({ collection, redacted }: Pick<LoggedObject, "collection" | "redacted">): boolean {
  return redacted === true || sealedCollections.has(collection);
}

/** Reads the content of an object from a log. Undefined if it does not have the form. */
export function parseLoggedObject(value: unknown): LoggedObject | undefined {
  if (!isMapping(value)) return undefined;
  const texts = ["collection", "kind", "apiVersion", "namespace", "name", "version"].every(
    (field) => typeof value[field] === "string",
  );
  const hasMaps = isTexts(value["labels"]) && isTexts(value["annotations"]);
  const hasForm = texts && hasMaps && typeof value["createdAt"] === "number" && "spec" in value;
  const { text } = value;
  // All fields have been checked.
  return hasForm && (text === undefined || typeof text === "string") ? (value as unknown as LoggedObject) : undefined;
}

function isTexts(value: unknown): boolean {
  return isMapping(value) && Object.values(value).every((text) => typeof text === "string");
}
