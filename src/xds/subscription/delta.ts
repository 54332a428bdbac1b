import type { NameSet, NameSets } from "../resources/name-set.ts";
import type { DeltaRequest } from "../wire/request.ts";
import type { Outcome, Reception } from "./reception.ts";
import type { Subscription } from "./subscription.ts";

/**
 * Applies an incremental request. Subscribing and acknowledging are independent in this protocol: names count
 * whatever the nonce says, and a message without a nonce acknowledges nothing.
 */
export function receiveDelta(subscription: Subscription, request: DeltaRequest, reception: Reception): Outcome {
  const { first, nameSets } = reception;
  const asked = first ? takeFirst(subscription, request, nameSets) : takeMore(subscription, request, nameSets);
  if (first) subscription.resume(request.held);
  const verdict = first || request.nonce === "" ? "none" : subscription.judge(request.nonce, request.error);
  const left = !subscription.wildcard && subscription.names.size === 0;
  // On a first request the error is about another stream.
  if (request.error !== undefined && verdict === "nack") return { type: "nack", reason: request.error, left };
  if (asked) return { type: "asked" };
  if (verdict === "stale") return { type: "stale" };
  return { type: left ? "unsubscribed" : "ack" };
}

/** The first request of a type: what it names, and what it says it holds, is subscribed to. True if that is something. */
function takeFirst(subscription: Subscription, request: DeltaRequest, nameSets: NameSets): boolean {
  const { subscribe, unsubscribe } = request;
  const known = knownNames(request, nameSets);
  if (known !== undefined) {
    subscription.want({ names: known, emptyMeansAll: false });
    return true;
  }
  const names = new Set(subscribe.texts());
  const all = subscribe.size === 0 ? subscription.emptyMeansAll : names.has("*");
  // To subscribe to all and to leave that at once is how a client says: nothing yet.
  const wildcard = all && !unsubscribe.includes("*");
  if (!wildcard) for (const name of request.held.versions.keys()) names.add(name);
  for (const name of [...unsubscribe, "*"]) names.delete(name);
  const emptyMeansAll = subscription.emptyMeansAll && subscribe.size === 0;
  subscription.want({ names: nameSets.intern(names), wildcard, emptyMeansAll });
  return wildcard || names.size > 0;
}

/** The names of a client that comes back, when others have asked for the same: found without reading them. */
function knownNames({ subscribe, unsubscribe, held }: DeltaRequest, nameSets: NameSets): NameSet | undefined {
  if (subscribe.size === 0 || unsubscribe.length > 0) return undefined;
  const { size, digest } = subscribe;
  const holdsOthers = held.size > 0 && (held.size !== size || held.nameDigest !== digest);
  return holdsOthers ? undefined : nameSets.find({ size, digest });
}

/** True when something must be said in return: a name asked for is answered, also when it was asked for before. */
function takeMore(subscription: Subscription, request: DeltaRequest, nameSets: NameSets): boolean {
  const { unsubscribe } = request;
  if (request.subscribe.size === 0 && unsubscribe.length === 0) return false;
  const subscribe = request.subscribe.texts();
  const { names: before, wildcard: wasWildcard } = subscription;
  const names = new Set([...before, ...subscribe]);
  for (const name of [...unsubscribe, "*"]) names.delete(name);
  const wildcard = subscribe.includes("*") || (wasWildcard && !unsubscribe.includes("*"));
  subscription.want({ names: nameSets.intern(names), wildcard });
  if (wildcard && !wasWildcard) subscription.owe("all", "wildcard_added");
  const named = subscribe.filter((name) => name !== "*");
  const isOld = (name: string) => wasWildcard || before.has(name);
  subscription.owe(named.filter(isOld), "subscribed_again");
  subscription.owe(
    named.filter((name) => !isOld(name)),
    "asked",
  );
  // Whoever wants all and leaves a name is told of it once more:
  // https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#unsubscribing-from-resources
  const left = wildcard ? unsubscribe.filter((name) => name !== "*") : [];
  subscription.owe(left, "left_but_wildcard");
  return subscribe.length > 0 || left.length > 0;
}
