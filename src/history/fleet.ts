import type { JsonObject } from "@bufbuild/protobuf";
import { isMapping } from "../lib/is-mapping.ts";

/** A proxy as the log keeps it: every fact that its resources depend on, except its identity. */
export interface LoggedProxy {
  readonly nodeId: string;
  readonly facts: JsonObject;
  /** The extensions of its build. Many proxies share a list. */
  readonly extensions: readonly string[];
}

/** Why a proxy has not accepted the newest resources of a type. `waiting`: it was sent them, or will be. */
export type LagReason = "waiting" | "rejected";

/** The last moment whose resources a proxy has accepted; 0 for none since it connected. */
export type Lag = readonly [moment: number, why: LagReason];

/** By the short names of types. Types that are not in it are accepted. */
export type Lags = Readonly<Record<string, Lag>>;

/** The record of a proxy. Other records of its segment name it by this number. */
export interface ProxyRecord {
  readonly proxy: number;
  readonly nodeId: string;
  readonly facts: JsonObject;
  /** The id of its list of extensions. */
  readonly extensions: string;
}

/** The differences among the connected proxies to the record before. */
export interface FleetRecord {
  /** Milliseconds since 1970. Increases from record to record. */
  readonly at: number;
  /** The last moment that was pushed. Proxies that are not behind have accepted it. */
  readonly moment: number;
  readonly came?: readonly number[];
  readonly gone?: readonly number[];
  readonly behind?: readonly (readonly [proxy: number, lags: Lags])[];
  /** They were behind, and are no longer. */
  readonly current?: readonly number[];
}

/** The connected proxies at a time: how far each one is behind, by its number. */
export interface FleetState {
  /** The last moment that was pushed. */
  readonly moment: number;
  readonly at: number;
  readonly lags: ReadonlyMap<number, Lags>;
}

/** The proxies after these records. Undefined without a record. */
export function fleetAfter(records: Iterable<FleetRecord>): FleetState | undefined {
  const lags = new Map<number, Lags>();
  let last: FleetRecord | undefined;
  for (const record of records) {
    const { came = [], gone = [], behind = [], current = [] } = record;
    for (const proxy of gone) lags.delete(proxy);
    for (const proxy of [...came, ...current]) lags.set(proxy, {});
    for (const [proxy, its] of behind) lags.set(proxy, its);
    last = record;
  }
  return last && { moment: last.moment, at: last.at, lags };
}

export function parseProxyRecord(value: unknown): ProxyRecord | undefined {
  if (!isMapping(value) || !isMapping(value["facts"])) return undefined;
  const { proxy, nodeId, facts, extensions } = value;
  if (!Number.isSafeInteger(proxy) || typeof nodeId !== "string" || typeof extensions !== "string") return undefined;
  // A value of a JSON text.
  return { proxy: Number(proxy), nodeId, facts: facts as JsonObject, extensions };
}

export function parseFleetRecord(value: unknown): FleetRecord | undefined {
  if (!isMapping(value)) return undefined;
  const { at, moment, came = [], gone = [], behind = [], current = [] } = value;
  const hasForm = isCount(at) && isCount(moment) && [came, gone, current].every(areCounts);
  // All fields have been checked.
  return hasForm && Array.isArray(behind) && behind.every(isBehind) ? (value as unknown as FleetRecord) : undefined;
}

export function parseExtensions(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function isBehind(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2 || !isCount(value[0]) || !isMapping(value[1])) return false;
  return Object.values(value[1]).every(isLag);
}

function isLag(value: unknown): boolean {
  return Array.isArray(value) && isCount(value[0]) && (value[1] === "waiting" || value[1] === "rejected");
}

function areCounts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
