import type { NameSets } from "../resources/name-set.ts";
import type { SotwRequest } from "../wire/request.ts";
import type { Outcome, Reception } from "./reception.ts";
import type { Subscription } from "./subscription.ts";

export interface SotwReception extends Reception {
  /** The same names under a nonce that was acknowledged ask for all of them again. */
  readonly answerRepeats: boolean;
}

/** Applies a state-of-the-world request. */
export function receiveSotw(subscription: Subscription, request: SotwRequest, reception: SotwReception): Outcome {
  const { first, nameSets, answerRepeats } = reception;
  if (request.error !== undefined) {
    const verdict = subscription.judge(request.nonce, request.error);
    return verdict === "nack" ? { type: "nack", reason: request.error } : { type: "stale" };
  }
  // Leaving a type counts whatever the nonce: there is nothing left that an older response could be about.
  if (request.names.size === 0 && !subscription.emptyMeansAll) return { type: "unsubscribed" };
  // A request that could not be answered yet is as good as none.
  const fresh = first || request.nonce === "" || subscription.sentNonce === "";
  if (!fresh && request.nonce !== subscription.sentNonce) return { type: "stale" };
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

/** Replaces the names by the request's and tells which are new. */
function takeNames(
  subscription: Subscription,
  { names: section }: SotwRequest,
  nameSets: NameSets,
): ReadonlySet<string> | "unchanged" {
  const { hash } = section;
  if (subscription.namesHash === hash) return "unchanged";
  const known = subscription.namesHash !== undefined;
  subscription.namesHash = hash;
  const { names: before, wildcard: wasWildcard } = subscription;
  subscription.names = nameSets.find(section) ?? nameSets.intern(section.texts().filter((name) => name !== "*"));
  const star = section.size > subscription.names.size && section.texts().includes("*");
  subscription.wildcard = star || section.size === 0;
  subscription.emptyMeansAll &&= section.size === 0;
  if (subscription.wildcard && !wasWildcard && known) subscription.owe("all", "wildcard_added");
  // Another order of the same names is the same request.
  return subscription.names === before && before.size > 0 ? "unchanged" : subscription.names.difference(before);
}
