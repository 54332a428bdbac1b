import { compareTexts } from "../../../lib/compare.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import { find, type Target } from "../../../xds/resources/target.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import { rejectedIn } from "./rejections.ts";
import type { SyncStatus } from "./sync-status.ts";

/** The status of one resource in a proxy. */
export interface ResourceStatus {
  readonly name: string;
  readonly status: Exclude<SyncStatus, "IGNORED">;
  /** The current version; absent for a removed resource that the proxy still has. */
  readonly resource: Resource | undefined;
}

/** Every resource of a type that a proxy has or should have, by name. */
export function resourceStatuses({ subscription, target = [] }: Watched): readonly ResourceStatus[] {
  const names = new Set([...namesIn(target, subscription), ...namesIn(subscription.acked, subscription)]);
  const blamed = new Set(rejectedIn(subscription).flatMap(({ resources }) => resources));
  return [...names].toSorted(compareTexts).map((name) => {
    const resource = find(target, name);
    return { name, resource, status: statusOf(name, resource, subscription, blamed) };
  });
}

/** Whether the proxy has acknowledged the current version of this resource, or its removal. */
export function isCurrent({ subscription, target = [] }: Watched, name: string): boolean {
  return !subscription.rejected.has(name) && find(target, name)?.version === find(subscription.acked, name)?.version;
}

function statusOf(
  name: string,
  now: Resource | undefined,
  { acked, sent, rejected }: Subscription,
  blamed: ReadonlySet<string>,
): ResourceStatus["status"] {
  if (now?.version === find(acked, name)?.version && !rejected.has(name)) return "SYNCED";
  if (now?.version !== find(sent, name)?.version) return "NOT SENT";
  return blamed.has(name) ? "ERROR" : "STALE";
}

function namesIn(target: Target, subscription: Subscription): readonly string[] {
  return target.flatMap((set) => Array.from(set, ({ name }) => name)).filter((name) => subscription.wants(name));
}
