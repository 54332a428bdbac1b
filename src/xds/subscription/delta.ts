import type { NameSets } from "../resources/name-set.ts";
import type { DeltaRequest } from "../wire/request.ts";
import type { Outcome } from "./sotw.ts";
import type { Subscription } from "./subscription.ts";

/**
 * Applies an incremental request. Subscribing and acknowledging are independent in this protocol: names count
 * whatever the nonce says, and a message without a nonce acknowledges nothing.
 */
export function receiveDelta(
  subscription: Subscription,
  request: DeltaRequest,
  { first, nameSets }: { first: boolean; nameSets: NameSets },
): Outcome {
  const asked = takeNames(subscription, request, { first, nameSets });
  if (first) subscription.resume(request.held);
  if (request.error !== undefined) {
    const verdict = first ? "stale" : subscription.judge(request.nonce, request.error);
    return verdict === "nack" ? { type: "nack", reason: request.error } : { type: "stale" };
  }
  const verdict = first || request.nonce === "" ? "none" : subscription.judge(request.nonce, undefined);
  if (asked) return { type: "asked" };
  if (verdict === "stale") return { type: "stale" };
  return !subscription.wildcard && subscription.names.size === 0 ? { type: "unsubscribed" } : { type: "ack" };
}

/** True when something must be said in return: a name asked for is answered, also when it was asked for before. */
function takeNames(
  subscription: Subscription,
  request: DeltaRequest,
  { first, nameSets }: { first: boolean; nameSets: NameSets },
): boolean {
  const { subscribe, unsubscribe, held } = request;
  if (!first && subscribe.length === 0 && unsubscribe.length === 0) return false;
  const wasWildcard = subscription.wildcard;
  const legacy = first && subscribe.length === 0 && subscription.type.sotw === "whole";
  const names = new Set([...subscription.names, ...subscribe]);
  for (const name of unsubscribe) names.delete(name);
  const wildcard = legacy || subscribe.includes("*") || (wasWildcard && !unsubscribe.includes("*"));
  subscription.wildcard = wildcard && !(first && unsubscribe.includes("*"));
  names.delete("*");
  if (!subscription.wildcard && first) for (const name of held.keys()) names.add(name);
  subscription.names = nameSets.intern(names);
  if (first) return subscription.wildcard || subscription.names.size > 0;
  if (subscription.wildcard && !wasWildcard) subscription.owe("all");
  // A name left while all are subscribed is still wanted; the client dropped it and must get it again.
  const again = subscription.wildcard ? [...subscribe, ...unsubscribe] : subscribe;
  subscription.owe(again.filter((name) => name !== "*"));
  return again.length > 0;
}
