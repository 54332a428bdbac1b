import type { ConfigId } from "../../config/config.ts";
import { type PushRange, spanOf } from "../../xds/stream/push-set.ts";
import { kindNameOf } from "./config-id.ts";

/**
 * The cause of a push: the objects that changed. All connections share it, and it is immutable. There is no "full"
 * flag: the keys show whether only endpoints changed.
 */
export interface PushRequest {
  readonly changed: ReadonlySet<ConfigId>;
  /** Regenerate everything for everyone, whatever `changed` says. */
  readonly forced: boolean;
  /** How often each cause was seen: `endpoint`, `service`, `config`, `global`, … */
  readonly reasons: ReadonlyMap<string, number>;
  /** When the oldest of the merged causes was noticed, in the clock's milliseconds. */
  readonly startedAt: number;
  /** The commits that the request is made of, by their sequences. */
  readonly commits?: readonly number[];
  /** Set when the resources are built: the numbers of the pushes. */
  readonly pushes?: PushRange;
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
    ...((older.commits || newer.commits) && { commits: [...(older.commits ?? []), ...(newer.commits ?? [])] }),
    ...mergedPushes(older.pushes, newer.pushes),
  };
}

/** A connection is queued for every push, so the merged pushes are consecutive. */
function mergedPushes(older: PushRange | undefined, newer: PushRange | undefined): Pick<PushRequest, "pushes"> {
  if (newer === undefined) return older === undefined ? {} : { pushes: older };
  return { pushes: spanOf(older, newer) };
}

/**
 * True when only endpoints changed, with or without the service instances at their addresses. Such a request skips the
 * debounce. It affects only EDS and the inbound side of those workloads.
 */
export function isEndpointOnly(request: PushRequest): boolean {
  if (request.forced || request.changed.size === 0) return false;
  return request.changed
    .values()
    .map(kindNameOf)
    .every((kind) => kind === "Endpoints" || kind === "Instance");
}

/** Kinds whose changes never wait longer under load: endpoints that are gone, and all that decides about access. */
const urgentKinds = new Set([
  "Endpoints",
  "Instance",
  "AuthorizationPolicy",
  "PeerAuthentication",
  "RequestAuthentication",
  "Secret",
  "ConfigMap",
  "TrustAnchor",
]);

/** Whether a loaded server pushes the request as soon as an idle one. */
export function isUrgent({ changed }: PushRequest): boolean {
  return changed.values().some((id) => urgentKinds.has(kindNameOf(id)));
}
