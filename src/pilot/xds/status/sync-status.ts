import { compareTexts } from "../../../lib/compare.ts";
import { find } from "../../../xds/resources/target.ts";
import type { Subscription, SyncState } from "../../../xds/subscription/subscription.ts";

/** The status of a type or a resource in a proxy, in the terms of `istioctl proxy-status`. */
export type SyncStatus = "SYNCED" | "STALE" | "NOT SENT" | "ERROR" | "IGNORED";

const statuses: Readonly<Record<SyncState, SyncStatus>> = {
  synced: "SYNCED",
  stale: "STALE",
  "not sent": "NOT SENT",
  rejected: "ERROR",
};

/**
 * The status of one type; a proxy without a subscription has IGNORED. A proxy may acknowledge a response that lacks a
 * requested secret and still wait for the secret. This is NOT SENT, as in istiod.
 */
export function syncStatusOf(subscription: Subscription | undefined): SyncStatus {
  if (subscription === undefined) return "IGNORED";
  const status = statuses[subscription.state];
  return status === "SYNCED" && missingNames(subscription).length > 0 ? "NOT SENT" : status;
}

/**
 * The requested names without a sent resource, sorted. Only of types whose absence is no resource: an empty list of
 * endpoints is an answer, and a missing secret is not.
 */
export function missingNames({ type, names, sent }: Subscription): readonly string[] {
  if (type.sotw !== "partial" || type.absent !== undefined) return [];
  return [...names].filter((name) => find(sent, name) === undefined).toSorted(compareTexts);
}
