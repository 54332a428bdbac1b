import type { Message } from "@bufbuild/protobuf";
import { type Config, configKey, type Origin } from "../config.ts";
import { contentVersion } from "../content-version.ts";
import type { Issue } from "../issue.ts";
import { apiVersionOf, type Kind } from "../kind.ts";
import type { ObjectMetadata } from "./metadata.ts";

/** The versions of substitutes begin with this, so that people recognise them. */
const prefix = "substitute-";

/** The annotation of substitutes. It stays when another server passes them on. */
export const substituteMark = "binnacle.io/substitute";

/** The identity of an unusable object. */
export interface UnusableObject {
  readonly row: Kind;
  readonly metadata: Pick<ObjectMetadata, "name" | "namespace" | "labels" | "createdAt">;
  /** The spec as written; undefined if it is not certain. */
  readonly spec: unknown;
  readonly origin: Origin;
}

/**
 * The object that replaces an unusable one while no earlier version of it is known. Only kinds have it whose absence
 * would open access: an invalid policy must not allow more than a valid one.
 */
export function substituteOf({ row, metadata, spec, origin }: UnusableObject): Config<Message> | undefined {
  const message = row.substitute?.(spec, metadata.name);
  if (message === undefined) return undefined;
  const { name, namespace, labels, createdAt } = metadata;
  const annotations = { [substituteMark]: "true" };
  const content = { name, namespace, labels, annotations, createdAt, kind: row.kind, apiVersion: apiVersionOf(row) };
  const version = `${prefix}${contentVersion({ ...content, spec: message }, row.schema)}`;
  return { ...content, spec: message, version, origin };
}

export function isSubstitute({ version }: Pick<Config, "version">): boolean {
  return version.startsWith(prefix);
}

/** Tells that a substitute is in force. */
export function substituteIssue({ kind, namespace, name, origin }: Config): Issue {
  const object = `${kind} ${configKey({ namespace, name })}`;
  const message = `this ${kind} cannot be used and has no earlier version, so access to its workloads is denied`;
  return { severity: "error", code: "unusable-policy", object, path: "", message, place: origin.locate("") };
}
