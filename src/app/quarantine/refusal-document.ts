import { createHash } from "node:crypto";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import { contentVersion } from "../../config/content-version.ts";
import { kindOf } from "../../config/kinds.ts";
import { hasMessage, specJson } from "../../config/spec-json.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { RejectedResources } from "../../pilot/xds/quarantine/report.ts";

/** A refusal of a class of proxies, as it is stored. */
export interface StoredRefusal {
  readonly classId: string;
  readonly className: string;
  readonly object: ConfigId;
  /** Null if the proxies refuse the mesh without the object. */
  readonly version: string | null;
  readonly reason: string;
  readonly rejected: readonly RejectedResources[];
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly node: string;
  readonly confirmedBy: string | null;
  readonly probes: number;
  /** The version that the class accepted before. Null if there is none. */
  readonly accepted: StoredObject | null;
}

/** A version of an object. Secrets and services of registries are never stored. */
export interface StoredObject extends Omit<Config, "origin" | "status" | "sealed" | "spec"> {
  readonly spec: JsonValue;
}

const format = "binnacle quarantine 1";

/** The content of a document. */
interface StoredRefusals {
  readonly refusals: readonly StoredRefusal[];
  /** How many had no room. A refusal that is missing may still hold then. */
  readonly leftOut: number;
}

/** The text of a document. Its digest shows whether somebody changed it. */
export function encodeRefusals(all: Iterable<StoredRefusal>, leftOut = 0): string {
  const content = { refusals: [...all], leftOut };
  return `${JSON.stringify({ format, digest: digestOf(content), ...content }, undefined, 1)}\n`;
}

/** Undefined if the text is no document, or not exactly as it was written. */
export function decodeRefusals(text: string): StoredRefusals | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (!isMapping(document) || document["format"] !== format) return undefined;
    // The digest says that we wrote it.
    const content = { refusals: document["refusals"], leftOut: document["leftOut"] } as StoredRefusals;
    return document["digest"] === digestOf(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Undefined for a Secret, whose bytes must not leave the process, for kinds that are not configuration, and for a service
 * of a registry: it contains endpoints, which are old after a restart.
 */
export function storedObject(config: Config): StoredObject | undefined {
  const row = kindOf(config.apiVersion, config.kind);
  if (row === undefined || config.sealed !== undefined || !hasMessage(config, row.schema)) return undefined;
  const { kind, apiVersion, namespace, name, labels, annotations, createdAt, version } = config;
  const spec = specJson(config, row.schema);
  return { kind, apiVersion, namespace, name, labels, annotations, createdAt, version, spec };
}

/** Undefined if the content is not that of its version, or not of this object. */
export function objectIn(stored: StoredObject, id: ConfigId): Config | undefined {
  const { kind, apiVersion, namespace, name, labels, annotations, createdAt, version } = stored;
  const row = kindOf(apiVersion, kind);
  if (row === undefined || configId(kind, namespace, name) !== id) return undefined;
  const spec = fromJson(row.schema, stored.spec);
  const content = { kind, apiVersion, namespace, name, labels, annotations, createdAt, spec };
  if (contentVersion(content, row.schema) !== version) return undefined;
  const origin = { source: "quarantine", reference: "accepted earlier", locate: () => undefined };
  return { ...content, version, origin };
}

function digestOf({ refusals, leftOut }: StoredRefusals): string {
  return createHash("sha256")
    .update(JSON.stringify([refusals, leftOut]))
    .digest("hex");
}
