import type { CloseReason, GrpcStatus, GrpcStream, GrpcStreamHandler, Peer } from "../../lib/grpc/grpc-stream.ts";

/**
 * Two ends of one stream, with the messages on their way between them. A message arrives only on {@link deliver}, in
 * the order of sending. Messages on their way count in the sender's `queued`, as with a slow socket.
 */
export class McpWire {
  readonly source: End;
  readonly sink: End;

  /** `said` is the initial metadata of the source. */
  constructor(peer: Peer = { address: "in-memory:1" }, said: Readonly<Record<string, string>> = {}) {
    this.source = new End(peer, {});
    this.sink = new End(peer, said);
    this.source.other = this.sink;
    this.sink.other = this.source;
  }

  /** Delivers the oldest message to one end. False if none is on its way there. */
  deliver(to: "source" | "sink"): boolean {
    return this[to].arrive();
  }

  /** Delivers all messages, including the answers to them. */
  settle(): void {
    while (this.deliver("sink") || this.deliver("source"));
  }

  /** Drops the connection and all messages on their way. */
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
  /** Messages to this end that have not arrived. */
  readonly inbox: Uint8Array[] = [];
  /** The reason with which this end was closed, if it is. */
  reason: CloseReason | undefined;
  readonly #heard: Readonly<Record<string, string>>;
  #handler: GrpcStreamHandler | undefined;

  constructor(peer: Peer, heard: Readonly<Record<string, string>>) {
    this.peer = peer;
    this.#heard = heard;
  }

  metadata(key: string): string | undefined {
    return this.#heard[key];
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
    // The bytes are lent for this call only. Code that keeps them fails here rather than in production.
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
