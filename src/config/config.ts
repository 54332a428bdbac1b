import type { Brand } from "../lib/brand.ts";
import type { SealedParts } from "./credential/sealed-parts.ts";

/** `Kind/namespace/name`: the identifier of a configuration object in push requests, owners and logs. */
export type ConfigId = Brand<string, "ConfigId">;

export function configId(kind: string, namespace: string, name: string): ConfigId {
  return `${kind}/${namespace}/${name}` as ConfigId;
}

/** `namespace/name`, or `name` alone for cluster-scoped kinds: the key of an object within its collection. */
export function configKey(config: { readonly namespace: string; readonly name: string }): string {
  return config.namespace === "" ? config.name : `${config.namespace}/${config.name}`;
}

/** A place that a person can open. Lines and columns start at 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The origin of an object. `locate` finds the place of a field such as `spec.http[0].route[1].weight`. */
export interface Origin {
  /** The source's name, as in `file:./mesh`. */
  readonly source: string;
  /** `file:line`, or a registry's path: one short text for people. */
  readonly reference: string;
  /** The source text, if there is one. If the text changes, the places of fields change. */
  readonly text?: string;
  /** The author of this content, if the source knows it, such as `kubectl-client-side-apply`. */
  readonly author?: string;
  /** The revision of this content in the store of the source. */
  readonly revision?: string;
  locate(path: string): SourceLocation | undefined;
}

/** Labels, and maps of the same form: selectors, annotations. */
export type Labels = Readonly<Record<string, string>>;

/** One immutable configuration object of a user. `version` is a hash of its content (everything except its origin). */
export interface Config<S = unknown> {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Milliseconds since the epoch; 0 when unknown. Decides "oldest first". */
  readonly createdAt: number;
  readonly version: string;
  readonly origin: Origin;
  readonly spec: S;
  /** The status from controllers, as it was written. Not part of the version, because it configures nothing. */
  readonly status?: unknown;
  /** The content of a Secret, which nobody may print. Its spec has only the names of the parts. */
  readonly sealed?: SealedParts;
}

/** Compares version and origin. The version hashes only the content, so a moved object counts as a different one. */
export function isSameConfig(a: Config, b: Config): boolean {
  return a.version === b.version && isSamePlace(a.origin, b.origin);
}

function isSamePlace(a: Origin, b: Origin): boolean {
  return a === b || (a.reference === b.reference && a.source === b.source && a.text === b.text);
}

/** The origin of a value, if it is a user's object or a list that begins with one. */
export function originIn(value: unknown): Origin | undefined {
  const object: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof object !== "object" || object === null || !("origin" in object)) return undefined;
  return isOrigin(object.origin) ? object.origin : undefined;
}

function isOrigin(value: unknown): value is Origin {
  return typeof value === "object" && value !== null && "reference" in value && "locate" in value;
}
