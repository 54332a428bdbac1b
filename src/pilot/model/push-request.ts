import type { ConfigId } from "../../config/config.ts";
import { kindOf } from "./config-id.ts";

/**
 * Why a push happens: which objects changed. Shared by all connections, never changed after it was made.
 * There is no "full" flag: whether only endpoints changed follows from the keys.
 */
export interface PushRequest {
  readonly changed: ReadonlySet<ConfigId>;
  /** Regenerate everything for everyone, whatever `changed` says. */
  readonly forced: boolean;
  /** How often each cause was seen: `endpoint`, `service`, `config`, `global`, … */
  readonly reasons: ReadonlyMap<string, number>;
  /** When the oldest of the merged causes was noticed, in the clock's milliseconds. */
  readonly startedAt: number;
}

/** Associative; neither operand is touched. */
export function mergePushRequests(older: PushRequest | undefined, newer: PushRequest): PushRequest {
  if (older === undefined) return newer;
  const reasons = new Map(older.reasons);
  for (const [reason, count] of newer.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  return {
    changed: older.changed.union(newer.changed),
    forced: older.forced || newer.forced,
    reasons,
    startedAt: Math.min(older.startedAt, newer.startedAt),
  };
}

/**
 * True when nothing but endpoints changed, and with them perhaps what the workload at an address serves: such a request
 * is not delayed, and touches EDS and the inbound side of those workloads alone.
 */
export function isEndpointOnly(request: PushRequest): boolean {
  if (request.forced || request.changed.size === 0) return false;
  return request.changed
    .values()
    .map(kindOf)
    .every((kind) => kind === "Endpoints" || kind === "Instance");
}
