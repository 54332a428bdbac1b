import type { CloseReason, Peer } from "../lib/grpc/grpc-stream.ts";

/** A stream, for metrics and logs. */
export interface StreamFacts {
  /** Counts up from 1 within the process. */
  readonly id: number;
  readonly peer: string;
  /** The authenticated identity of the peer. Empty if no authentication was required. */
  readonly identity: string;
}

export function streamFacts(id: number, { address, identities = [] }: Peer): StreamFacts {
  return { id, peer: address, identity: identities.join(" ") };
}

/** A sent message, without its body. */
export interface PushFacts extends StreamFacts {
  readonly collection: string;
  readonly version: string;
  readonly nonce: string;
  readonly incremental: boolean;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
}

/** A received request. */
export interface RequestFacts extends StreamFacts {
  readonly collection: string;
  readonly nonce: string;
  readonly bytes: number;
}

/** The answer of a sink to a push. */
export interface AnswerFacts extends RequestFacts {
  /** The version that the sink answers. Empty if the nonce was not the expected one. */
  readonly version: string;
  /** The time from the push to the answer. 0 for a stale answer. */
  readonly ms: number;
}

export interface NackStatus {
  readonly code: number;
  readonly message: string;
}

/** Receives the events of the source engine for metrics and logs: metadata of frames, never a body. */
export interface SourceObserver {
  opened(stream: StreamFacts): void;
  closed(stream: StreamFacts, reason: CloseReason): void;
  requested(request: RequestFacts): void;
  pushed(push: PushFacts): void;
  acked(answer: AnswerFacts): void;
  nacked(answer: AnswerFacts, refusal: NackStatus): void;
  /** An unexpected nonce, which changes nothing. `refusal` is set if it was a NACK. */
  stale(answer: AnswerFacts, refusal: NackStatus | undefined): void;
  /** The collection is not served: the answer was empty, or the stream was ended. */
  unknownCollection(request: RequestFacts): void;
  /** A subscription waits for the request budget of its identity. */
  throttled(request: RequestFacts): void;
  /** The answer to a push is late. */
  ackOverdue(push: PushFacts, ms: number): void;
  /** A bug occurred on one stream. That stream was ended; the others continue. */
  failed(stream: StreamFacts, cause: Error): void;
}

/** Receives the events of the sink engine. */
export interface SinkObserver {
  attached(stream: StreamFacts): void;
  detached(stream: StreamFacts, reason: CloseReason): void;
  /** A push arrived and is not processed yet. */
  received(push: PushFacts): void;
  acked(push: PushFacts): void;
  /** `rejected` lists the rejected resources if the others were accepted. */
  nacked(push: PushFacts, refusal: NackStatus, rejected: readonly RejectedResource[]): void;
}

/** One resource that a sink rejects. */
export interface RejectedResource {
  /** The wire name. */
  readonly name: string;
  readonly reason: string;
}
