import { isMapping } from "../lib/is-mapping.ts";
import type { Provenance } from "./logged-object.ts";

/** `change`: a commit. `start`: everything that changed while no server wrote. `gap`: the same for changes that were lost. */
export type MomentCause = "change" | "start" | "gap";

/** An object that is in force, in the log. */
export interface PlacedObject extends Provenance {
  /** The collection that its source fills. */
  readonly collection: string;
  /** `namespace/name`, or `name` alone for cluster-scoped kinds. */
  readonly key: string;
  /** The id of its content. */
  readonly object: string;
}

/** One object that changed. */
export interface LoggedChange extends Provenance {
  readonly collection: string;
  readonly key: string;
  /** The id of its content before. Absent if it is new. */
  readonly before?: string;
  /** The id of its content after. Absent if it was removed. */
  readonly object?: string;
}

/** Objects that changed together. */
export interface Moment {
  /** Counts from 1. A later moment of a directory has a larger number. */
  readonly number: number;
  /** Milliseconds since 1970. Never decreases. */
  readonly at: number;
  readonly cause: MomentCause;
  readonly changes: readonly LoggedChange[];
}

/** When an object last changed. */
export type MomentId = Pick<Moment, "number" | "at">;

/** An object in force, and since when. */
export interface StateEntry extends PlacedObject {
  readonly since: MomentId;
}

/** The settings that resources depend on beside the objects. */
export interface LoggedSettings {
  readonly domain: string;
  readonly clusterId: string;
  readonly scopeGatewayToNamespace: boolean;
  readonly workloadHealth: boolean;
}

/** The begin of a segment. It has everything that is needed to read the rest, so older segments can be deleted. */
export interface SegmentHead extends MomentId {
  readonly format: 1;
  readonly settings: LoggedSettings;
}

/** The entry of an object after a change. Undefined if it was removed. */
export function entryAfter(change: LoggedChange, since: MomentId): StateEntry | undefined {
  const { collection, key, object } = change;
  return object === undefined ? undefined : { collection, key, object, ...provenanceIn(change), since };
}

/** The provenance alone. */
export function provenanceIn({ source, reference, author, revision }: Provenance): Provenance {
  return { source, reference, ...(author !== undefined && { author }), ...(revision !== undefined && { revision }) };
}

/** The key of an object in a state. */
export function placeKey({ collection, key }: Pick<PlacedObject, "collection" | "key">): string {
  return `${collection} ${key}`;
}

export function parseHead(value: unknown): SegmentHead | undefined {
  if (!isMapping(value) || value["format"] !== 1) return undefined;
  const { settings: given, number, at } = value;
  const id = { number, at };
  if (!isMomentId(id) || !isMapping(given)) return undefined;
  const { domain, clusterId, scopeGatewayToNamespace, workloadHealth } = given;
  const hasForm = typeof domain === "string" && typeof clusterId === "string";
  if (!hasForm || typeof scopeGatewayToNamespace !== "boolean" || typeof workloadHealth !== "boolean") return undefined;
  const settings = { domain, clusterId, scopeGatewayToNamespace, workloadHealth };
  return { format: 1, ...id, settings };
}

export function parseState(value: unknown): readonly StateEntry[] | undefined {
  return Array.isArray(value) && value.every(isStateEntry) ? value : undefined;
}

export function parseMoment(value: unknown): Moment | undefined {
  return isMoment(value) ? value : undefined;
}

function isMoment(value: unknown): value is Moment {
  if (!isMapping(value)) return false;
  const { number, at, cause, changes } = value;
  if (!isMomentId({ number, at })) return false;
  return ["change", "start", "gap"].includes(String(cause)) && Array.isArray(changes) && changes.every(isChange);
}

function isMomentId(value: unknown): value is MomentId {
  return isMapping(value) && Number.isSafeInteger(value["number"]) && Number.isSafeInteger(value["at"]);
}

function isChange(value: unknown): value is LoggedChange {
  if (!isMapping(value)) return false;
  const { collection, key, source, reference, before, object, author, revision } = value;
  const texts = [collection, key, source, reference].every((text) => typeof text === "string");
  return texts && [before, object, author, revision].every((text) => text === undefined || typeof text === "string");
}

function isStateEntry(value: unknown): value is StateEntry {
  return isChange(value) && value.object !== undefined && "since" in value && isMomentId(value.since);
}
