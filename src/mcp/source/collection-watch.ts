import type { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Nack } from "../nack.ts";
import type { Held, PushContent } from "./encode-push.ts";
import type { SinkRequest } from "./request.ts";

/** A push that was sent and has not been answered. */
export interface Pending {
  readonly nonce: string;
  readonly set: ResourceSet;
}

export type Verdict =
  /** Asked for, for the first time or once more. */
  | { readonly type: "subscribed" }
  | { readonly type: "acked"; readonly set: ResourceSet }
  | { readonly type: "nacked"; readonly set: ResourceSet; readonly nack: Nack }
  /** Not what is waited for: nothing changes. */
  | { readonly type: "stale" };

/** What the sink said no to. */
export interface LastNack extends Nack {
  readonly version: string;
}

/**
 * One collection on one stream: what the sink asked for, holds, and was sent. Pure; the stream around it sends. At most
 * one push is unanswered (SRC-19), and what is sent next is decided when it can leave.
 */
export class CollectionWatch {
  readonly collection: string;
  /** Whether this side sends differences at all. */
  readonly #allowsDeltas: boolean;
  /** Whether the latest request does. */
  #asksForDeltas = false;
  #pending: Pending | undefined;
  /** What the sink acknowledged last, or came with. */
  #held: Held | undefined;
  /** What is said next must not build on anything: the first time, and after a NACK or a new subscription. */
  #fullNext = true;
  /** The version that was answered last, by ACK or NACK: it is not sent again. Undefined when all is to be sent. */
  #settled: string | undefined;
  #subscribed = false;
  /** In a row. */
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

  /** How often it was rejected since it was last acknowledged. */
  get nacks(): number {
    return this.#nacks;
  }

  take(request: SinkRequest): Verdict {
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

  /** Whether there is something to send, now that this is what there is. */
  isDue(set: ResourceSet): boolean {
    return this.#pending === undefined && set.version !== this.#settled;
  }

  /** What is sent of it. Only of what is due. */
  contentOf(): PushContent {
    const from = this.#held;
    if (this.#fullNext || from === undefined || !this.#allowsDeltas || !this.#asksForDeltas) return { type: "full" };
    return { type: "delta", from };
  }

  sent(nonce: string, set: ResourceSet): void {
    this.#pending = { nonce, set };
    this.sentVersion = set.version;
  }

  /** Lets what was rejected leave once more. */
  retry(): void {
    if (this.#pending === undefined) this.#settled = undefined;
  }

  /**
   * An empty nonce. A push that is still unanswered is forgotten, not taken for acknowledged (SRC-10). What the sink
   * says it holds counts only the first time (SRC-12): later we know better.
   */
  #subscribe({ incremental, held }: SinkRequest): Verdict {
    this.#pending = undefined;
    this.#settled = undefined;
    this.#asksForDeltas = incremental;
    const resumes = !this.#subscribed && incremental && this.#allowsDeltas && held.size > 0;
    if (resumes) this.#held = { type: "versions", versions: held };
    this.#fullNext = !resumes;
    this.#subscribed = true;
    return { type: "subscribed" };
  }

  /** A sink of ours may have taken all but a few resources: what it lacks comes when it is another one. */
  #reject(set: ResourceSet, nack: Nack): void {
    this.#nacks++;
    this.lastNack = { ...nack, version: set.version };
    if (nack.rejected.length > 0) this.#hold(set);
    else this.#fullNext = true;
  }

  #hold(set: ResourceSet): void {
    this.#held = { type: "set", set };
    this.#fullNext = false;
  }
}
