import type { NameSets } from "../resources/name-set.ts";
import type { SotwRequest } from "../wire/request.ts";
import type { Outcome, Reception } from "./reception.ts";
import type { Subscription } from "./subscription.ts";

export interface SotwReception extends Reception {
  /** The same names under a nonce that was acknowledged ask for all of them again. */
  readonly answerRepeats: boolean;
}

/**
 * Applies a state-of-the-world request. What an empty list and a star mean, and since when, is as
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#how-the-client-specifies-what-resources-to-return
 * has it.
 */
export function receiveSotw(subscription: Subscription, request: SotwRequest, reception: SotwReception): Outcome {
  const { first, nameSets, answerRepeats } = reception;
  const isFirst = first || subscription.sentNonce === "";
  // On a first request the error is about another stream. What it asks for is asked for all the same.
  if (request.error !== undefined && !isFirst) return receiveRejection(subscription, request, nameSets, request.error);
  // Leaving a type counts whatever the nonce: there is nothing left that an older response could be about.
  if (request.names.size === 0 && !subscription.emptyMeansAll) return { type: "unsubscribed" };
  // A request that could not be answered yet is as good as none.
  const fresh = isFirst || request.nonce === "";
  if (!fresh && request.nonce !== subscription.sentNonce) {
    // The names are those of before the newer response, and will be said again. The verdict will not.
    return { type: subscription.judge(request.nonce, undefined) === "ack" ? "ack" : "stale" };
  }
  const acknowledged = !fresh && subscription.judge(request.nonce, undefined) === "ack";
  const added = takeNames(subscription, request, nameSets);
  if (fresh && subscription.answered) subscription.owe("all", "asked_anew");
  if (fresh) return { type: "asked" };
  if (added === "unchanged") {
    if (acknowledged || !answerRepeats) return { type: "ack" };
    subscription.owe("all", "repeated_request");
    return { type: "asked" };
  }
  subscription.owe(added, "asked");
  return { type: added.size > 0 ? "asked" : "ack" };
}

/** A client repeats its names when it rejects, too, and may ask for more of them at once. */
function receiveRejection(
  subscription: Subscription,
  request: SotwRequest,
  nameSets: NameSets,
  reason: string,
): Outcome {
  const left = request.names.size === 0 && !subscription.emptyMeansAll;
  const isCurrent = request.nonce === subscription.sentNonce;
  const verdict = subscription.judge(request.nonce, reason);
  if (isCurrent && !left) {
    const added = takeNames(subscription, request, nameSets);
    if (added !== "unchanged") subscription.owe(added, "asked");
  }
  return verdict === "nack" ? { type: "nack", reason, left } : { type: left ? "unsubscribed" : "stale" };
}

/** Replaces the names by the request's and tells which are new. */
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
  const emptyMeansAll = subscription.emptyMeansAll && section.size === 0;
  subscription.want({ names, namesHash: hash, wildcard, emptyMeansAll });
  if (wildcard && !wasWildcard && hashBefore !== undefined) subscription.owe("all", "wildcard_added");
  // Another order of the same names is the same request.
  return names === before && before.size > 0 ? "unchanged" : names.difference(before);
}
