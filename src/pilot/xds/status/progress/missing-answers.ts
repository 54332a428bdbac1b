import type { Connection } from "../../../../xds/connection.ts";
import { find } from "../../../../xds/resources/target.ts";
import { commonOf, type PushSet } from "../../../../xds/stream/push-set.ts";
import type { WatchProgress } from "../../../../xds/stream/watch.ts";
import type { Subscription } from "../../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushRequest } from "../../../model/push-request.ts";
import { rejectedIn } from "../rejections.ts";
import { namesOwnedIn } from "./owned-names.ts";
import type { AwaitedObject, MissingAnswer } from "./missing-answer.ts";
import { unrequestedOf } from "./unrequested.ts";

interface StreamFacts {
  readonly queued: PushRequest | undefined;
  /** How long the stream has been silent, in both directions. */
  readonly silentMs: number;
}

/** The progress of an object on one stream. */
export interface StreamProgress {
  /** How many resources of the stream are built from the object. */
  readonly resources: number;
  /** Empty if the proxy has accepted everything. */
  readonly missing: readonly MissingAnswer[];
}

/**
 * Compares the pushes that carried an object with the pushes that a stream has not answered. It never says too early that
 * a proxy has accepted the object: all types of a stream count, also resources that name the object nowhere.
 */
export function streamProgressOf(
  connection: Connection<Proxy>,
  object: AwaitedObject,
  { queued, silentMs }: StreamFacts,
): StreamProgress {
  const { watched } = connection;
  const resources = watched.reduce((sum, watch) => sum + ownedIn(watch, object).length, 0);
  if (queued !== undefined && (object.isQuarantined || meets(object, queued.pushes ? [queued.pushes] : []))) {
    return {
      resources,
      missing: [{ type: "", resources: [], why: "queued", since: queued.startedAt, isFinal: false }],
    };
  }
  const missing = watched.flatMap((watch) => missingIn(watch, object) ?? []);
  return { resources, missing: [...missing, ...unrequestedOf(connection, object, silentMs)] };
}

function missingIn(watch: WatchProgress, object: AwaitedObject): MissingAnswer | undefined {
  const { subscription, target, pushes } = watch;
  const resources = ownedIn(watch, object);
  const about = { type: subscription.type.shortName, resources };
  const sent = subscription.sentAt === undefined ? {} : { since: subscription.sentAt };
  if (meets(object, pushes.waiting)) return { ...about, why: "unsent", isFinal: false };
  if (meets(object, pushes.unanswered)) return { ...about, ...sent, why: "unacknowledged", isFinal: false };
  const rejected = rejectedOf(watch, object);
  if (rejected !== undefined) return rejected;
  if (target === undefined) {
    return { ...about, why: "unsent", message: "the server cannot build resources of this type", isFinal: false };
  }
  const first = firstAnswerMissing(watch);
  if (first !== undefined) return { ...about, ...sent, ...first, isFinal: false };
  const added = resources.filter((name) => subscription.isNew(name));
  if (added.length > 0) return { ...about, resources: added, ...sent, why: openReason(subscription), isFinal: false };
  return object.isQuarantined ? differenceIn(watch, resources) : undefined;
}

/** The resources of a stream that are built from the object. */
function ownedIn({ subscription, target = [] }: WatchProgress, { id, isDeleted }: AwaitedObject): readonly string[] {
  if (isDeleted) return [];
  return namesOwnedIn(target, id).filter((name) => subscription.wants(name));
}

/** A rejection counts as long as the proxy has not accepted everything that it rejected. */
function rejectedOf(
  { subscription, target = [], pushes }: WatchProgress,
  object: AwaitedObject,
): MissingAnswer | undefined {
  const { error, rejected, type, sent } = subscription;
  if (error === undefined) return undefined;
  const owned = [...namesOwnedIn(target, object.id), ...namesOwnedIn(sent, object.id)];
  const resources = [...new Set(owned)].filter((name) => rejected.has(name));
  const isOpen = meets(object, pushes.incomplete);
  if (resources.length === 0 && !isOpen) return undefined;
  const isFinal = subscription.inFlight === undefined && !subscription.mayBeDue(target);
  if (resources.length === 0 || object.isDeleted) {
    return { type: type.shortName, resources: [...rejected.keys()], why: "unclear", message: error, isFinal: false };
  }
  const blamed = rejectedIn(subscription).find(({ objects }) => objects.includes(object.id));
  return { type: type.shortName, resources, why: "rejected", message: blamed?.message ?? error, isFinal };
}

/** A client that has accepted no whole state on its stream may hold anything from an earlier stream. */
function firstAnswerMissing(watch: WatchProgress): Pick<MissingAnswer, "why" | "message"> | undefined {
  const { subscription, target = [], pushes } = watch;
  const { inFlight, answered, error } = subscription;
  if (!pushes.isOpening) return undefined;
  if (error !== undefined) return { why: "unclear", message: error };
  if (inFlight !== undefined) return { why: "unacknowledged" };
  if (answered) return { why: "unsent", message: "the removal of resources waits for the answer to another type" };
  // A client may ask only for names that do not exist. Then there is nothing to send.
  return subscription.due(target, { mayRemove: () => true }) === undefined ? undefined : { why: "unsent" };
}

function differenceIn(
  { subscription, target = [] }: WatchProgress,
  resources: readonly string[],
): MissingAnswer | undefined {
  const { type, sent, inFlight } = subscription;
  const differing = resources.filter((name) => find(target, name)?.version !== find(sent, name)?.version);
  const about = { type: type.shortName, isFinal: false };
  if (differing.length > 0) return { ...about, resources: differing, why: "unsent" };
  return inFlight === undefined ? undefined : { ...about, resources, why: "unacknowledged" };
}

function openReason({ inFlight }: Subscription): "unsent" | "unacknowledged" {
  return inFlight === undefined ? "unsent" : "unacknowledged";
}

function meets({ pushes }: AwaitedObject, others: PushSet): boolean {
  return others.length > 0 && commonOf(others, pushes).length > 0;
}
