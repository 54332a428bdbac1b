import type { CloseReason, Peer } from "../lib/grpc/grpc-stream.ts";

/** A stream, for those who count and log. */
export interface StreamFacts {
  /** Counts up from 1 within the process. */
  readonly id: number;
  readonly peer: string;
  /** Who the other side has proved to be; "" when no proof was asked for. */
  readonly identity: string;
}

export function streamFacts(id: number, { address, identities = [] }: Peer): StreamFacts {
  return { id, peer: address, identity: identities.join(" ") };
}

/** A message that left. Never a body. */
export interface PushFacts extends StreamFacts {
  readonly collection: string;
  readonly version: string;
  readonly nonce: string;
  readonly incremental: boolean;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
}

/** A request that came. */
export interface RequestFacts extends StreamFacts {
  readonly collection: string;
  readonly nonce: string;
  readonly bytes: number;
}

/** What a sink said to a push. */
export interface AnswerFacts extends RequestFacts {
  /** The version it says it to; "" when the nonce is not the one that was waited for. */
  readonly version: string;
  /** From the push to the answer; 0 for a stale one. */
  readonly ms: number;
}

export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** What the source engine tells those who count and log: metadata of frames, never a body. */
export interface SourceObserver {
  opened(stream: StreamFacts): void;
  closed(stream: StreamFacts, reason: CloseReason): void;
  requested(request: RequestFacts): void;
  pushed(push: PushFacts): void;
  acked(answer: AnswerFacts): void;
  nacked(answer: AnswerFacts, refusal: Refusal): void;
  /** A nonce that was not waited for: it changes nothing. `refusal` is there if it was a NACK. */
  stale(answer: AnswerFacts, refusal: Refusal | undefined): void;
  /** Not one of ours: answered empty, or the stream was ended. */
  unknownCollection(request: RequestFacts): void;
  /** A subscription waits for its identity's budget. */
  throttled(request: RequestFacts): void;
  /** An answer does not come. */
  ackOverdue(push: PushFacts, ms: number): void;
  /** A bug showed while one stream was served: that stream was ended, the others live on. */
  failed(stream: StreamFacts, cause: Error): void;
}

/** What the sink engine tells. */
export interface SinkObserver {
  attached(stream: StreamFacts): void;
  detached(stream: StreamFacts, reason: CloseReason): void;
  /** A push that came, before anything is done with it. */
  received(push: PushFacts): void;
  acked(push: PushFacts): void;
  /** `rejected` lists what of it was not taken, when the rest was. */
  nacked(push: PushFacts, refusal: Refusal, rejected: readonly Rejection[]): void;
}

/** One resource that a sink cannot take. */
export interface Rejection {
  /** As on the wire. */
  readonly name: string;
  readonly reason: string;
}
