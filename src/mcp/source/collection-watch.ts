import type { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Nack } from "../nack.ts";
import type { PushContent, SinkState } from "./encode-push.ts";
import type { SinkRequest } from "./sink-request.ts";

/** A sent push without an answer. */
export interface Pending {
  readonly nonce: string;
  readonly set: ResourceSet;
}

export type RequestEffect =
  /** A first or repeated subscription. */
  | { readonly type: "subscribed" }
  | { readonly type: "acked"; readonly set: ResourceSet }
  | { readonly type: "nacked"; readonly set: ResourceSet; readonly nack: Nack }
  /** An unexpected answer: nothing changes. */
  | { readonly type: "stale" };

/** The last rejected push. */
export interface LastNack extends Nack {
  readonly version: string;
}

/**
 * One collection on one stream: the sink's subscription, its held state and the sent push. Pure; the stream does the
 * sending. At most one push is unanswered (SRC-19). The next content is decided when it can be sent.
 */
export class CollectionWatch {
  readonly collection: string;
  /** Whether this side sends deltas at all. */
  readonly #allowsDeltas: boolean;
  /** Whether the latest request asks for deltas. */
  #asksForDeltas = false;
  #pending: Pending | undefined;
  /**
   * The state that the sink last acknowledged or announced; the next push may build on it. Undefined if the next push
   * must be full: at first, after a NACK, and after a new subscription.
   */
  #held: SinkState | undefined;
  /** The version of the last ACK or NACK, which is not sent again. Undefined if everything must be sent. */
  #settled: string | undefined;
  #subscribed = false;
  /** Consecutive NACKs. */
  #nacks = 0;
  lastNack: LastNack | undefined;
  sentVersion: string | undefined;
  ackedVersion: string | undefined;

  constructor(collection: string, allowsDeltas: boolean) {
    this.collection = collection;
    this.#allowsDeltas = allowsDeltas;
  }

  get pending(): Pending | undefined {
    return this.#pending;
  }

  /** The number of NACKs since the last ACK. */
  get nacks(): number {
    return this.#nacks;
  }

  take(request: SinkRequest): RequestEffect {
    if (request.nonce === "") return this.#subscribe(request);
    const pending = this.#pending;
    if (pending?.nonce !== request.nonce) return { type: "stale" };
    this.#pending = undefined;
    this.#settled = pending.set.version;
    this.#asksForDeltas = request.incremental;
    if (request.nack === undefined) {
      this.#hold(pending.set);
      this.#nacks = 0;
      this.ackedVersion = pending.set.version;
      return { type: "acked", set: pending.set };
    }
    this.#reject(pending.set, request.nack);
    return { type: "nacked", set: pending.set, nack: request.nack };
  }

  /** Whether this content must be sent. */
  isDue(set: ResourceSet): boolean {
    return this.#pending === undefined && set.version !== this.#settled;
  }

  /** The content of the next push. Call it only when a push is due. */
  contentOf(): PushContent {
    const from = this.#held;
    if (from === undefined || !this.#allowsDeltas || !this.#asksForDeltas) return { type: "full" };
    return { type: "delta", from };
  }

  sent(nonce: string, set: ResourceSet): void {
    this.#pending = { nonce, set };
    this.sentVersion = set.version;
  }

  /** Allows the rejected version to be sent again. */
  retry(): void {
    if (this.#pending === undefined) this.#settled = undefined;
  }

  /**
   * Handles an empty nonce. An unanswered push is forgotten, and does not count as acknowledged (SRC-10). The versions
   * that the sink announces count only the first time (SRC-12). Later our own record is better.
   */
  #subscribe({ incremental, held }: SinkRequest): RequestEffect {
    this.#pending = undefined;
    this.#settled = undefined;
    this.#asksForDeltas = incremental;
    const resumes = !this.#subscribed && held.size > 0;
    this.#held = resumes ? { type: "versions", versions: held } : undefined;
    this.#subscribed = true;
    return { type: "subscribed" };
  }

  /** A Binnacle sink may have accepted all but a few resources. A missing resource is sent when it changes. */
  #reject(set: ResourceSet, nack: Nack): void {
    this.#nacks++;
    this.lastNack = { ...nack, version: set.version };
    if (nack.rejected.length > 0) this.#hold(set);
    else this.#held = undefined;
  }

  #hold(set: ResourceSet): void {
    this.#held = { type: "set", set };
  }
}
