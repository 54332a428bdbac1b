/**
 * One bidirectional gRPC stream, as either of its ends sees it; knows nothing of xDS. Implemented on bare `node:http2`
 * (`transport/grpc-server.ts`, `transport/grpc-client.ts`) and in memory (`testing/stream-pair.ts`).
 */
export interface GrpcStream {
  readonly peer: Peer;
  readonly closed: boolean;
  /** Bytes written but not yet taken by the socket. */
  readonly queued: number;
  /** Called once, before the first message can arrive. */
  attach(handler: GrpcStreamHandler): void;
  /**
   * Sends one gRPC message made of a prefix and shared segments, by reference and under one cork: a buffer that was
   * sent is never changed again. `prefix` does not contain gRPC's 5-byte frame header.
   */
  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void;
  /**
   * Ends the stream with a status. Later sends are dropped. A client has no status to send: OK half-closes, which lets
   * the server read all that was sent, and everything else cancels.
   */
  end(status: GrpcStatus, message?: string, hints?: EndHints): void;
}

/** What a client is told beside the status. */
export interface EndHints {
  /** When a new attempt is welcome. */
  readonly retryAfterMs?: number;
}

export interface GrpcStreamHandler {
  /** The bytes are valid only during the call: copy what you keep. */
  onMessage(bytes: Uint8Array): void;
  /** The last message has left for the socket. The only wake-up for a stream that was busy. */
  onFlushed(): void;
  onClose(reason: CloseReason): void;
}

export interface Peer {
  readonly address: string;
  /** Who it has proved to be, mostly as SPIFFE ids; absent where no proof was asked for. */
  readonly identities?: readonly string[];
  /** Whether a proxy passed its stream on for somebody else: then the address is the proxy's and proves nothing. */
  readonly forwarded?: boolean;
}

/**
 * `client` half-closed or cancelled, `server` called `end`, `broken` for everything else. The client's end of a stream
 * is told what the server ended it with.
 */
export type CloseReason =
  | { readonly type: "client" }
  | { readonly type: "server"; readonly status?: ReceivedStatus }
  | { readonly type: "broken"; readonly cause: Error };

/** What a server ended a stream with. Its code may be one that we never use. */
export interface ReceivedStatus {
  readonly code: number;
  readonly message: string;
}

/** Pairs that travel beside the messages of a stream; a key may have several values. */
export type Metadata = Readonly<Record<string, string | readonly string[]>>;

/** The gRPC status codes we use; the numbers are the wire's. */
export const GrpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
export type GrpcStatus = (typeof GrpcStatus)[keyof typeof GrpcStatus];
