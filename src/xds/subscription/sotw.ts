import { hash64 } from "../../lib/hash.ts";
import type { NameSets } from "../resources/name-set.ts";
import { readNames, type SotwRequest } from "../wire/request.ts";
import type { Subscription } from "./subscription.ts";

/** What a request amounts to, once applied to its subscription. */
export type Outcome =
  | { readonly type: "ack" }
  | { readonly type: "nack"; readonly reason: string }
  /** It speaks of an older response; the client will speak again when it has seen the newer one. */
  | { readonly type: "stale" }
  /** Something is asked for: a first request, more names, or the same once more. */
  | { readonly type: "asked" }
  | { readonly type: "unsubscribed" };

/**
 * Applies a state-of-the-world request. `first` when the stream has not asked for this type before: such a request
 * may carry the nonce of an earlier stream, which means nothing here.
 */
export function receiveSotw(
  subscription: Subscription,
  request: SotwRequest,
  { first, nameSets, answerRepeats }: { first: boolean; nameSets: NameSets; answerRepeats: boolean },
): Outcome {
  if (request.error !== undefined) {
    const verdict = first ? "stale" : subscription.judge(request.nonce, request.error);
    return verdict === "nack" ? { type: "nack", reason: request.error } : { type: "stale" };
  }
  const fresh = first || request.nonce === "";
  if (!fresh && request.nonce !== subscription.sentNonce) return { type: "stale" };
  const acknowledged = !fresh && subscription.judge(request.nonce, undefined) === "ack";
  const added = takeNames(subscription, request, nameSets);
  if (!subscription.wildcard && subscription.names.size === 0) return { type: "unsubscribed" };
  if (fresh && !first) subscription.owe("all");
  if (fresh) return { type: "asked" };
  // The same names under a nonce that was already acknowledged: Envoy is warming and wants them all again.
  const repeated = added === "unchanged" && !acknowledged && answerRepeats;
  if (repeated) subscription.owe("all");
  else if (added !== "unchanged") subscription.owe(added);
  return { type: repeated || (added !== "unchanged" && added.size > 0) ? "asked" : "ack" };
}

/** Replaces the names by the request's and tells which are new. An empty list means all, for types that have that. */
function takeNames(
  subscription: Subscription,
  request: SotwRequest,
  nameSets: NameSets,
): ReadonlySet<string> | "unchanged" {
  const hash = hash64(request.nameSection);
  const known = subscription.namesHash !== undefined;
  if (subscription.namesHash === hash) return "unchanged";
  subscription.namesHash = hash;
  const names = new Set(readNames(request.nameSection));
  const wasWildcard = subscription.wildcard;
  const before = subscription.names;
  const legacy = names.size === 0 && subscription.type.sotw === "whole" && (before.size === 0 || wasWildcard);
  subscription.wildcard = names.delete("*") || legacy;
  subscription.names = nameSets.intern(names);
  if (subscription.wildcard && !wasWildcard && known) subscription.owe("all");
  // Another order of the same names is the same request.
  return subscription.names === before && before.size > 0 ? "unchanged" : subscription.names.difference(before);
}
