import type { Client } from "./resource-source.ts";
import type { PushEnd } from "./stream/push-progress.ts";
import type { PushSet } from "./stream/push-set.ts";
import type { Repetition } from "./subscription/repetition.ts";
import type { Subscription } from "./subscription/subscription.ts";

/** One sent response. */
export interface SentResponse {
  readonly type: string;
  readonly typeUrl: string;
  readonly node: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /** The reasons of the push, or `request` if the client requested it. */
  readonly cause: readonly string[];
  /** Why the response left although nothing in it was new to the client. */
  readonly repeats: readonly Repetition[];
  /** The numbered pushes that it carries, all that the client had not been sent of its type. */
  readonly pushes?: PushSet;
  /** Duration of building its resources in this push, computing the answer and encoding it. */
  readonly ms: number;
}

/** Receives stream events, for metrics and logs. */
export interface StreamObserver<C extends Client> {
  connected(client: C): void;
  disconnected(node: string, reason: string): void;
  /** The server refused a stream: the server is not ready, or the node is unreadable. */
  refused(reason: string): void;
  responseSent(response: SentResponse): void;
  /** How long the transport took to accept a response. */
  written(ms: number): void;
  /**
   * A client sent a NACK. `subscription` is absent if the NACK matches no response of this stream. `pushes` are those that
   * the rejected response carried.
   */
  rejected(type: string, node: string, reason: string, subscription?: Subscription, pushes?: PushSet): void;
  staleNonce(type: string): void;
  /** A change waits for the acknowledgement of an earlier response. */
  delayed(type: string, node: string): void;
  /** The acknowledgement arrived, and the delayed change leaves. */
  released(type: string, node: string): void;
  /** A stream broke before a response had left. `timedOut` is true if the client had stopped reading. */
  sendFailed(type: string, node: string, timedOut: boolean): void;
  /** An acknowledgement is overdue. `delayed` is true if a change waited for it; that change now leaves. */
  ackOverdue(type: string, node: string, delayed: boolean): void;
  /** A client requested a type that is not served. It gets no answer. */
  unknownType(typeUrl: string, node: string): void;
  /** A bug occurred while serving one stream. The server ended that stream; the others continue. */
  streamFailed(node: string, cause: Error): void;
  /** All responses of a push for one client have left. */
  converged(node: string, ms: number): void;
  /** A client is owed these numbered pushes: they have, or may have, something for it. */
  pushesOwed?(node: string, pushes: PushSet): void;
  /** A client is no longer owed these pushes. Every owed push ends once. */
  pushesEnded?(node: string, pushes: PushSet, how: PushEnd): void;
}
