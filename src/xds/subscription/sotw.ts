import { addedNames, type NameSets } from "../resources/name-set.ts";
import type { SotwRequest } from "../wire/request.ts";
import type { RequestResult, RequestContext } from "./request-context.ts";
import type { Subscription } from "./subscription.ts";

export interface SotwRequestContext extends RequestContext {
  /** Whether the same names under an already acknowledged nonce request all of them again. */
  readonly answerRepeats: boolean;
}

/**
 * Applies a state-of-the-world request. For an empty list, `*` and the legacy wildcard see
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#how-the-client-specifies-what-resources-to-return
 */
export function receiveSotw(
  subscription: Subscription,
  request: SotwRequest,
  context: SotwRequestContext,
): RequestResult {
  const { first, nameSets, answerRepeats } = context;
  const isFirst = first || subscription.sentNonce === "";
  // On a first request the error is about another stream. The request still subscribes to its names.
  if (request.error !== undefined && !isFirst) return receiveRejection(subscription, request, nameSets, request.error);
  // Unsubscribing from a type counts with any nonce: no older response can matter any more (xDS protocol: Unsubscribing
  // From Resources).
  if (request.names.size === 0 && !subscription.legacyWildcard) return { type: "unsubscribed" };
  // A request before the first answer is treated as a first request.
  const fresh = isFirst || request.nonce === "";
  if (!fresh && request.nonce !== subscription.sentNonce) {
    // A stale nonce gets no answer (xDS protocol: Resource updates). The client repeats these older names after the
    // newer response. It does not repeat the ACK, so the ACK counts.
    return { type: subscription.ack(request.nonce) ? "ack" : "stale" };
  }
  const acknowledged = !fresh && subscription.ack(request.nonce);
  const added = takeNames(subscription, request, nameSets);
  if (fresh && subscription.answered) subscription.forceSend("all", "asked_anew");
  if (fresh) return { type: "asked" };
  if (added === "unchanged") {
    if (acknowledged || !answerRepeats) return { type: "ack" };
    subscription.forceSend("all", "repeated_request");
    return { type: "asked" };
  }
  subscription.forceSend(added, "asked");
  return { type: added.size > 0 ? "asked" : "ack" };
}

/** Applies a NACK. A NACK repeats all names too, and may add names. */
function receiveRejection(
  subscription: Subscription,
  request: SotwRequest,
  nameSets: NameSets,
  reason: string,
): RequestResult {
  const left = request.names.size === 0 && !subscription.legacyWildcard;
  const isCurrent = request.nonce === subscription.sentNonce;
  const matches = subscription.nack(request.nonce, reason);
  if (isCurrent && !left) {
    const added = takeNames(subscription, request, nameSets);
    if (added !== "unchanged") subscription.forceSend(added, "asked");
  }
  return matches ? { type: "nack", reason, left } : { type: left ? "unsubscribed" : "stale" };
}

/** Replaces the names with those of the request. Returns the added names. */
function takeNames(
  subscription: Subscription,
  { names: section }: SotwRequest,
  nameSets: NameSets,
): ReadonlySet<string> | "unchanged" {
  const { names: before, namesHash: hashBefore, wildcard: wasWildcard } = subscription;
  const { hash } = section;
  if (hash === hashBefore) return "unchanged";
  const names = nameSets.find(section) ?? nameSets.intern(section.texts().filter((name) => name !== "*"));
  const star = section.size > names.size && section.texts().includes("*");
  const wildcard = star || section.size === 0;
  const legacyWildcard = subscription.legacyWildcard && section.size === 0;
  subscription.subscribeTo({ names, namesHash: hash, wildcard, legacyWildcard });
  if (wildcard && !wasWildcard && hashBefore !== undefined) subscription.forceSend("all", "wildcard_added");
  // The same names in another order are the same request.
  return names === before && before.size > 0 ? "unchanged" : addedNames(before, names);
}
