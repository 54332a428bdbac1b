import type { CloseReason, GrpcStatus, GrpcStream, GrpcStreamHandler, Peer } from "../../lib/grpc/grpc-stream.ts";

/**
 * Two ends of one stream, with what is on its way between them: nothing arrives before {@link deliver} says so, in the
 * order in which it was sent. What has not arrived is in the sender's `queued`, as with a slow socket.
 */
export class McpWire {
  readonly source: End;
  readonly sink: End;

  constructor(peer: Peer = { address: "in-memory:1" }) {
    this.source = new End(peer);
    this.sink = new End(peer);
    this.source.other = this.sink;
    this.sink.other = this.source;
  }

  /** Lets the oldest message arrive at one end. False when none is on its way there. */
  deliver(to: "source" | "sink"): boolean {
    return this[to].arrive();
  }

  /** Lets everything arrive, and what is said to that. */
  settle(): void {
    while (this.deliver("sink") || this.deliver("source"));
  }

  /** The connection is lost, with all that is on its way. */
  cut(): void {
    const cause = new Error("the connection was lost");
    this.source.close({ type: "broken", cause });
    this.sink.close({ type: "broken", cause });
  }
}

class End implements GrpcStream {
  readonly peer: Peer;
  other: End | undefined;
  closed = false;
  /** What was sent to this end and has not arrived. */
  readonly inbox: Uint8Array[] = [];
  /** How this end was closed, once it is. */
  reason: CloseReason | undefined;
  #handler: GrpcStreamHandler | undefined;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  get queued(): number {
    return this.other?.inbox.reduce((sum, message) => sum + message.length, 0) ?? 0;
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    if (!this.closed) this.other?.inbox.push(Buffer.concat([prefix, ...segments]));
  }

  end(code: GrpcStatus, message = ""): void {
    if (this.closed) return;
    this.close({ type: "server" });
    this.other?.close({ type: "server", status: { code, message } });
  }

  arrive(): boolean {
    const message = this.inbox.shift();
    if (message === undefined || this.closed) return false;
    this.#handler?.onMessage(message);
    // Lent for the call only: whoever keeps the bytes finds out here rather than in production.
    message.fill(0xff);
    if (this.inbox.length === 0) this.other?.flushed();
    return true;
  }

  flushed(): void {
    if (!this.closed) this.#handler?.onFlushed();
  }

  close(reason: CloseReason): void {
    if (this.closed) return;
    this.closed = true;
    this.reason = reason;
    this.inbox.length = 0;
    this.#handler?.onClose(reason);
  }
}
