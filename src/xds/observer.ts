import type { Client } from "./resource-source.ts";
import type { Repetition } from "./subscription/repetition.ts";
import type { Subscription } from "./subscription/subscription.ts";

/** One response that left. */
export interface SentResponse {
  readonly type: string;
  readonly typeUrl: string;
  readonly node: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /** Why: the reasons of the push, or `request` when the client asked. */
  readonly cause: readonly string[];
  /** Why all the same, if nothing in it was new to the client. */
  readonly repeats: readonly Repetition[];
  /** How long it took to work out and to encode. */
  readonly ms: number;
}

/** What streams tell those who count and log. */
export interface StreamObserver<C extends Client> {
  connected(client: C): void;
  disconnected(node: string, reason: string): void;
  /** A stream that was turned away: not ready, or a node that cannot be read. */
  refused(reason: string): void;
  responseSent(response: SentResponse): void;
  /** How long the stream took to take a response. */
  written(ms: number): void;
  /** A client says no. `subscription` is absent when it says so to nothing that it was sent. */
  rejected(type: string, node: string, reason: string, subscription?: Subscription): void;
  staleNonce(type: string): void;
  /** A change had to wait for the acknowledgement of an earlier response. */
  delayed(type: string): void;
  /** An acknowledgement does not come; `delayed` when a change has been waiting for it, which now leaves. */
  ackOverdue(type: string, node: string, delayed: boolean): void;
  /** A type that is not served was asked for; it stays unanswered. */
  unknownType(typeUrl: string, node: string): void;
  /** A bug showed while one stream was served: that stream was ended, the others live on. */
  streamFailed(node: string, cause: Error): void;
  /** All of a push's responses for one client have left. */
  converged(node: string, ms: number): void;
}
