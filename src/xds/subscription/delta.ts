import type { NameSet, NameSets } from "../resources/name-set.ts";
import type { DeltaRequest } from "../wire/request.ts";
import type { RequestResult, RequestContext } from "./request-context.ts";
import type { Subscription } from "./subscription.ts";

/**
 * Applies an incremental request. Subscribing and acknowledging are independent roles of a request (xDS protocol:
 * DeltaDiscoveryRequest in discovery.proto). Names count with any nonce, and a message without a nonce acknowledges
 * nothing.
 */
export function receiveDelta(
  subscription: Subscription,
  request: DeltaRequest,
  context: RequestContext,
): RequestResult {
  const { first, nameSets } = context;
  const asked = first ? takeFirst(subscription, request, nameSets) : takeMore(subscription, request, nameSets);
  if (first) subscription.resume(request.held);
  // On a first request the nonce and the error are about another stream (xDS protocol: Basic Protocol Overview).
  const acknowledges = !first && request.nonce !== "";
  const matches = acknowledges && acknowledge(subscription, request);
  const left = !subscription.wildcard && subscription.names.size === 0;
  if (matches && request.error !== undefined) return { type: "nack", reason: request.error, left };
  if (asked) return { type: "asked" };
  if (acknowledges && !matches) return { type: "stale" };
  return { type: left ? "unsubscribed" : "ack" };
}

/** Applies the ACK or NACK of a request. Returns false for a stale nonce. */
function acknowledge(subscription: Subscription, { nonce, error }: DeltaRequest): boolean {
  return error === undefined ? subscription.ack(nonce) : subscription.nack(nonce, error);
}

/**
 * Applies the first request of a type: subscribes to its names and to its held versions. Returns true if that is not
 * empty.
 */
function takeFirst(subscription: Subscription, request: DeltaRequest, nameSets: NameSets): boolean {
  const { subscribe, unsubscribe } = request;
  const known = knownNames(request, nameSets);
  if (known !== undefined) {
    subscription.subscribeTo({ names: known, legacyWildcard: false });
    return true;
  }
  const names = new Set(subscribe.texts());
  const all = subscribe.size === 0 ? subscription.legacyWildcard : names.has("*");
  // delta: `resource_names_unsubscribe` of `*` together with a wildcard subscription is how a client subscribes to
  // nothing yet.
  const wildcard = all && !unsubscribe.includes("*");
  if (!wildcard) for (const name of request.held.versions.keys()) names.add(name);
  for (const name of [...unsubscribe, "*"]) names.delete(name);
  const legacyWildcard = subscription.legacyWildcard && subscribe.size === 0;
  subscription.subscribeTo({ names: nameSets.intern(names), wildcard, legacyWildcard });
  return wildcard || names.size > 0;
}

/** The names of a reconnecting client, if other clients requested the same names. Found without decoding them. */
function knownNames({ subscribe, unsubscribe, held }: DeltaRequest, nameSets: NameSets): NameSet | undefined {
  if (subscribe.size === 0 || unsubscribe.length > 0) return undefined;
  const known = nameSets.find(subscribe);
  return known === undefined || held.size === 0 || nameSets.areOf(known, held) ? known : undefined;
}

/**
 * Applies a later request. Returns true if it needs an answer. A subscribed name is answered even if the client
 * subscribed to it before (xDS protocol: `resource_names_subscribe` in discovery.proto).
 */
function takeMore(subscription: Subscription, request: DeltaRequest, nameSets: NameSets): boolean {
  const { unsubscribe } = request;
  if (request.subscribe.size === 0 && unsubscribe.length === 0) return false;
  const subscribe = request.subscribe.texts();
  const { names: before, wildcard: wasWildcard } = subscription;
  const names = nameSets.change(before, subscribe, [...unsubscribe, "*"]);
  const wildcard = subscribe.includes("*") || (wasWildcard && !unsubscribe.includes("*"));
  subscription.subscribeTo({ names, wildcard });
  if (wildcard && !wasWildcard) subscription.forceSend("all", "wildcard_added");
  const named = subscribe.filter((name) => name !== "*");
  const isOld = (name: string) => wasWildcard || before.has(name);
  subscription.forceSend(named.filter(isOld), "subscribed_again");
  subscription.forceSend(
    named.filter((name) => !isOld(name)),
    "asked",
  );
  // delta: a wildcard client that unsubscribes from a name gets that resource once more:
  // https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#unsubscribing-from-resources
  const left = wildcard ? unsubscribe.filter((name) => name !== "*") : [];
  subscription.forceSend(left, "left_but_wildcard");
  return subscribe.length > 0 || left.length > 0;
}
