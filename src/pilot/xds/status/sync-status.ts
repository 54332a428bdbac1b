import type { Subscription, SyncState } from "../../../xds/subscription/subscription.ts";

/** Where a proxy stands with a type or a resource, in the words of `istioctl proxy-status`. */
export type SyncStatus = "SYNCED" | "STALE" | "NOT SENT" | "ERROR" | "IGNORED";

const statuses: Readonly<Record<SyncState, SyncStatus>> = {
  synced: "SYNCED",
  stale: "STALE",
  "not sent": "NOT SENT",
  rejected: "ERROR",
};

/** Of one type; a proxy that never asked for it ignores it. */
export function syncStatusOf(subscription: Subscription | undefined): SyncStatus {
  return subscription === undefined ? "IGNORED" : statuses[subscription.state];
}
