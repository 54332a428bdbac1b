/**
 * One end of a bidirectional gRPC stream, client or server. It knows nothing of xDS. Implemented on bare `node:http2`
 * (`transport/grpc-server.ts`, `transport/grpc-client.ts`) and in memory (`testing/stream-pair.ts`).
 */
export interface GrpcStream {
  readonly peer: Peer;
  readonly closed: boolean;
  /** Bytes written but not yet accepted by the socket. */
  readonly queued: number;
  /** A metadata value that the other side sent before its messages; undefined if it has not arrived. */
  metadata?(key: string): string | undefined;
  /** Called once, before the first message can arrive. */
  attach(handler: GrpcStreamHandler): void;
  /**
   * Sends one gRPC message that consists of a prefix and shared segments. The segments are sent by reference and under
   * one cork, so callers never change a buffer after sending. The `prefix` does not contain gRPC's 5-byte frame header.
   */
  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void;
  /**
   * Ends the stream with a status. Later sends are dropped. A client has no status to send: OK half-closes, so the
   * server can still read everything that was sent. Any other status cancels.
   */
  end(status: GrpcStatus, message?: string, hints?: EndHints): void;
}

/** Hints for the client beside the status. */
export interface EndHints {
  /** Time after which the client may try again. */
  readonly retryAfterMs?: number;
}

export interface GrpcStreamHandler {
  /** The bytes are valid only during the call: copy what you keep. */
  onMessage(bytes: Uint8Array): void;
  /** The socket has taken the last message. This is the only wake-up for a stream that was busy. */
  onFlushed(): void;
  onClose(reason: CloseReason): void;
}

export interface Peer {
  readonly address: string;
  /** Authenticated identities, mostly SPIFFE ids; absent if the server required no authentication. */
  readonly identities?: readonly string[];
  /** Whether the connection uses TLS. */
  readonly encrypted?: boolean;
  /** Whether a proxy forwarded the stream. Then the address belongs to the proxy and proves nothing. */
  readonly forwarded?: boolean;
}

/**
 * `client` half-closed or cancelled, `server` called `end`, `broken` covers everything else. The client's end also gets
 * the status from the server.
 */
export type CloseReason =
  | { readonly type: "client" }
  | { readonly type: "server"; readonly status?: ReceivedStatus }
  | { readonly type: "broken"; readonly cause: Error };

/** The status with which a server ended a stream. The code may be one that we never use. */
export interface ReceivedStatus {
  readonly code: number;
  readonly message: string;
}

/** Key-value pairs beside the messages of a stream. A key may have several values. */
export type Metadata = Readonly<Record<string, string | readonly string[]>>;

/** The gRPC status codes that we use, with their numbers on the wire. */
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
