import type { NameSets } from "../resources/name-set.ts";

/** The context of a received request. */
export interface RequestContext {
  /**
   * The first request of this stream for this type. It may carry a nonce of an earlier stream. That nonce is ignored,
   * because a nonce is valid only on its own stream (xDS protocol: Basic Protocol Overview).
   */
  readonly first: boolean;
  readonly nameSets: NameSets;
}

/** The result of applying a request to its subscription. */
export type RequestResult =
  | { readonly type: "ack" }
  /** `left` is true when the client unsubscribed from the whole type. */
  | { readonly type: "nack"; readonly reason: string; readonly left: boolean }
  /**
   * The request refers to an older response. The client sends another request after the newer response (xDS protocol:
   * Resource updates).
   */
  | { readonly type: "stale" }
  /** The client requests resources: a first request, more names, or the same names again. */
  | { readonly type: "asked" }
  | { readonly type: "unsubscribed" };
