import type { ConfigId } from "../../../../config/config.ts";
import type { PushSet } from "../../../../xds/stream/push-set.ts";

/**
 * Why a proxy does not have the content of an object yet.
 * - `queued`: the push waits in the queue.
 * - `unsent`: a response waits, for the answer to an earlier one or for the order of responses.
 * - `unacknowledged`: the response has left, and has no answer.
 * - `not requested`: the proxy has not asked for the resource yet, although it will.
 * - `rejected`: the proxy rejected a resource that is built from the object.
 * - `unclear`: the proxy rejected another resource of the same push, so that the object may be concerned.
 * - `quarantined`: proxies of this class refuse the object, and do not get it.
 * - `not connected`: the proxy is awaited by its name, and has no stream.
 */
type MissingReason =
  | "queued"
  | "unsent"
  | "unacknowledged"
  | "not requested"
  | "rejected"
  | "unclear"
  | "quarantined"
  | "not connected";

/** One type that a proxy has not accepted with the content of an object. */
export interface MissingAnswer {
  /** CDS, LDS, …; empty if all types are concerned. */
  readonly type: string;
  /** The resources that are built from the object. Empty if the object changes only resources of other objects. */
  readonly resources: readonly string[];
  readonly why: MissingReason;
  /** In the clock's milliseconds, if it is known. */
  readonly since?: number;
  /** The words of the proxy, or further facts. */
  readonly message?: string;
  /** Nothing is under way that could change it. Only another change can. */
  readonly isFinal: boolean;
}

/** An object whose content is awaited. */
export interface AwaitedObject {
  readonly id: ConfigId;
  /** The pushes that carried changes of the object, see `ContentLedger`. */
  readonly pushes: PushSet;
  /** The object is gone, and proxies have to accept a state without it. */
  readonly isDeleted: boolean;
  /** The quarantine serves it to some proxies by pushes without a number, so every difference counts. */
  readonly isQuarantined: boolean;
}
