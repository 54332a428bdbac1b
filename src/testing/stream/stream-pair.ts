import {
  type CloseReason,
  GrpcStatus,
  type GrpcStream,
  type GrpcStreamHandler,
  type Peer,
} from "../../lib/grpc/grpc-stream.ts";

/** The gRPC frame header, which counts in `queued` as in the real stream. */
const HEADER_BYTES = 5;

/** The client's end of a stream under test. */
export interface TestClientStream {
  /** Every message that has arrived, prefix and segments joined. */
  readonly received: readonly Uint8Array[];
  /** The status with which the server ended the stream, once it has arrived. */
  readonly status: StreamEnd | undefined;
  send(bytes: Uint8Array): void;
  /** Half-closes: the server answers with its status. */
  close(): void;
  cancel(): void;
  /** Drops the connection: neither side receives more from the other. */
  disconnect(): void;
  /** Stops reading: later messages of the server stay in its `queued`. */
  stall(): void;
  /** Reads again: queued messages arrive, and the server gets `onFlushed`. */
  resume(): void;
}

export interface StreamEnd {
  readonly code: GrpcStatus;
  readonly message: string;
}

/**
 * A `GrpcStream` and its client in one process, without sockets and timers. An action of one side has reached the other
 * when the call returns. Two exceptions imitate the real stream. Client actions during the server's handler are
 * delivered after the handler returns. `onFlushed` never comes during `send`, but in a microtask.
 */
export function streamPair(peer: Peer = { address: "in-memory" }): {
  readonly server: GrpcStream;
  readonly client: TestClientStream;
} {
  const server = new MemoryStream(peer);
  return { server, client: new MemoryClient(server) };
}

/** Errors thrown by the handler reach the test that made the client's call. */
class MemoryStream implements GrpcStream {
  readonly peer: Peer;
  readonly received: Uint8Array[] = [];
  status: StreamEnd | undefined;

  #handler: GrpcStreamHandler | undefined;
  #closed = false;
  /** Client actions that the handler has not received yet. */
  readonly #inbound: ((handler: GrpcStreamHandler) => void)[] = [];
  #delivering = false;

  #stalled = false;
  #flushDue = false;
  #unread: Uint8Array[] = [];
  #unreadStatus: StreamEnd | undefined;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get queued(): number {
    return this.#unread.reduce((bytes, message) => bytes + HEADER_BYTES + message.length, 0);
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
    this.#deliver();
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    if (this.#closed) return;
    this.#unread.push(Buffer.concat([prefix, ...segments]));
    this.#flushDue = true;
    this.#arrive();
    queueMicrotask(() => this.#flush());
  }

  end(code: GrpcStatus, message = ""): void {
    if (this.#closed) return;
    this.#unreadStatus = { code, message };
    this.#arrive();
    this.#close({ type: "server" });
  }

  /** Delivers an event to the handler, now or as soon as the handler has returned from its current event. */
  tell(event: (handler: GrpcStreamHandler) => void): void {
    this.#inbound.push(event);
    this.#deliver();
  }

  halfClose(): void {
    if (this.#closed) return;
    this.#unreadStatus = { code: GrpcStatus.OK, message: "" };
    this.#arrive();
    this.#close({ type: "client" });
  }

  abandon(reason: CloseReason): void {
    this.#unread = [];
    this.#close(reason);
  }

  stall(): void {
    this.#stalled = true;
  }

  resume(): void {
    this.#stalled = false;
    this.#arrive();
    this.#flush();
  }

  #arrive(): void {
    if (this.#stalled) return;
    this.received.push(...this.#unread);
    this.#unread = [];
    this.status ??= this.#unreadStatus;
  }

  #flush(): void {
    if (!this.#flushDue || this.#unread.length > 0) return;
    this.#flushDue = false;
    this.tell((handler) => {
      if (!this.#closed) handler.onFlushed();
    });
  }

  #close(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handler?.onClose(reason);
  }

  #deliver(): void {
    if (this.#delivering || this.#handler === undefined) return;
    this.#delivering = true;
    try {
      for (let event = this.#inbound.shift(); event !== undefined; event = this.#inbound.shift()) event(this.#handler);
    } finally {
      this.#delivering = false;
    }
  }
}

class MemoryClient implements TestClientStream {
  readonly #server: MemoryStream;

  constructor(server: MemoryStream) {
    this.#server = server;
  }

  get received(): readonly Uint8Array[] {
    return this.#server.received;
  }

  get status(): StreamEnd | undefined {
    return this.#server.status;
  }

  send(bytes: Uint8Array): void {
    const lent = bytes.slice();
    this.#server.tell((handler) => {
      if (this.#server.closed) return;
      handler.onMessage(lent);
      // The bytes are lent for this call only. Code that keeps them fails here rather than in production.
      lent.fill(0xff);
    });
  }

  close(): void {
    this.#server.tell(() => this.#server.halfClose());
  }

  cancel(): void {
    this.#server.tell(() => this.#server.abandon({ type: "client" }));
  }

  disconnect(): void {
    const cause = new Error("the connection was lost");
    this.#server.tell(() => this.#server.abandon({ type: "broken", cause }));
  }

  stall(): void {
    this.#server.stall();
  }

  resume(): void {
    this.#server.resume();
  }
}
