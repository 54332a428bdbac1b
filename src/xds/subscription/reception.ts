import type { NameSets } from "../resources/name-set.ts";

/** What the receiver of a request knows beside it. */
export interface Reception {
  /**
   * The stream has not asked for this type before. Such a request may carry the nonce of an earlier stream, which
   * means nothing here.
   */
  readonly first: boolean;
  readonly nameSets: NameSets;
}

/** What a request amounts to, once applied to its subscription. */
export type Outcome =
  | { readonly type: "ack" }
  /** `left` when the client wants nothing of this type any more. */
  | { readonly type: "nack"; readonly reason: string; readonly left: boolean }
  /** It speaks of an older response; the client will speak again when it has seen the newer one. */
  | { readonly type: "stale" }
  /** Something is asked for: a first request, more names, or the same once more. */
  | { readonly type: "asked" }
  | { readonly type: "unsubscribed" };
