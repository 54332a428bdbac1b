import type { Brand } from "../lib/brand.ts";

/** `Kind/namespace/name`: the name of one configuration object everywhere: push requests, owners, logs. */
export type ConfigId = Brand<string, "ConfigId">;

export function configId(kind: string, namespace: string, name: string): ConfigId {
  return `${kind}/${namespace}/${name}` as ConfigId;
}

/** `namespace/name`, or `name` alone for cluster-scoped kinds: the key of an object within its collection. */
export function configKey(config: { readonly namespace: string; readonly name: string }): string {
  return config.namespace === "" ? config.name : `${config.namespace}/${config.name}`;
}

/** A place a person can open. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where an object came from. `locate` finds the place of a field such as `spec.http[0].route[1].weight`. */
export interface Origin {
  /** The source's name, as in `file:./mesh`. */
  readonly source: string;
  /** `file:line`, or a registry's path: one short text for people. */
  readonly reference: string;
  /** What it was read from, where that is a text: with it, the places of fields change. */
  readonly text?: string;
  locate(path: string): Place | undefined;
}

/** Labels, and what has their form: selectors, annotations. */
export type Labels = Readonly<Record<string, string>>;

/** One object of the users' vocabulary, immutable. `version` is a hash of its content (all but its origin). */
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
  /** What controllers say of the object, as it was written. Not part of its version: nobody is configured by it. */
  readonly status?: unknown;
}

/** Versions hash the content alone. An object that only moved, or something within it, is another one. */
export function isSameConfig(a: Config, b: Config): boolean {
  return a.version === b.version && isSamePlace(a.origin, b.origin);
}

function isSamePlace(a: Origin, b: Origin): boolean {
  return a === b || (a.reference === b.reference && a.source === b.source && a.text === b.text);
}
