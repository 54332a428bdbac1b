import { constants, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { BufferPool } from "../../lib/bounded/buffer-pool.ts";
import { errorFrom } from "../../lib/errors.ts";
import {
  type CloseReason,
  type EndHints,
  GrpcStatus,
  type GrpcStream,
  type GrpcStreamHandler,
  type Metadata,
  type Peer,
} from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import { SendTimeout } from "../../lib/grpc/send-timeout.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { formatAddress } from "../listen-address.ts";
import { isForwarded } from "../credentials/forwarded.ts";
import { Deframer } from "../grpc-framing.ts";
import { hintHeaders, statusHeaders } from "../grpc-status.ts";
import { metadataHeaders, metadataValue } from "../metadata-headers.ts";
import { MessageSender } from "../message-sender.ts";
import type { IncompleteMessages, ReceivingStream } from "./incomplete-messages.ts";
import type { TurnShares } from "./turn-shares.ts";

/** The headers of every gRPC response. The last one stops clients from trying compression again. */
const responseHeaders = {
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-accept-encoding": "identity",
} as const;
const withTrailers = { waitForTrailers: true, sendDate: false };
const trailersOnly = { endStream: true, sendDate: false };

/**
 * The messages that a client may send. With `many` it sends any number, and the half-close ends the stream. With `one`
 * (unary and server-streaming methods) it sends exactly one. The half-close after it leaves the stream open for the
 * answer.
 */
export type Requests = "one" | "many";

interface ServerStreamOptions {
  /** The request headers. */
  readonly headers: IncomingHttpHeaders;
  readonly requests: Requests;
  readonly maxMessageBytes: number;
  /** How long a message may take, from its first byte to its last. */
  readonly messageMs: number;
  /** Counts incomplete messages of all streams. */
  readonly incompleteMessages: IncompleteMessages;
  /** For received messages. Handlers keep no bytes of a message. */
  readonly buffers: BufferPool;
  /** Shares the event loop between the peers. */
  readonly turnShares: TurnShares;
  /** How long a client may read none of the sent bytes. 0 disables the limit. */
  readonly sendTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The server's end of a `GrpcStream`, over one HTTP/2 stream. Nothing is read before `attach`. The handler gets
 * `onClose` once; after `end` it runs before that call returns. An error that the handler throws ends only this stream,
 * with INTERNAL.
 */
export class ServerGrpcStream implements GrpcStream {
  #peer: Peer;
  readonly #stream: ServerHttp2Stream;
  readonly #session: Http2Session | undefined;
  readonly #options: ServerStreamOptions;
  readonly #deframer: Deframer;
  readonly #sender: MessageSender;
  #handler: GrpcStreamHandler | undefined;
  #closeReason: CloseReason | undefined;
  #error: Error | undefined;
  #messagesReceived = 0;
  readonly #receiving: ReceivingStream = {
    peer: () => this.peer,
    refuse: (reason) => this.#refuse(GrpcStatus.RESOURCE_EXHAUSTED, reason),
  };
  /** Stops the timer of an incomplete message. */
  #unfinished: Cancel | undefined;

  constructor(stream: ServerHttp2Stream, options: ServerStreamOptions) {
    this.#peer = peerOf(stream.session, options.headers);
    this.#stream = stream;
    this.#session = stream.session;
    this.#options = options;
    this.#deframer = new Deframer(options.maxMessageBytes, (bytes) => this.#receive(bytes), {
      mustPause: () => options.turnShares.isUsedUp(this.peer),
      buffers: options.buffers,
    });
    this.#sender = new MessageSender(stream, {
      ...options,
      onStuck: () => this.#cutOff(),
      onEmpty: () => this.#flushed(),
    });
    stream.on("error", (error) => {
      this.#error ??= error;
    });
    stream.once("close", () => {
      // Not earlier: the client must first read the messages before the status.
      this.#sender.release();
      this.#close(this.#reasonOfLoss());
    });
  }

  get peer(): Peer {
    return this.#peer;
  }

  /** The peer is authenticated. */
  identify(identities: readonly string[]): void {
    this.#peer = { ...this.#peer, identities };
  }

  /** Sends the metadata of an accepted stream, once, before the first message. */
  welcome(metadata: Metadata): void {
    if (this.closed) return;
    this.#stream.respond({ ...responseHeaders, ...metadataHeaders(metadata) }, withTrailers);
  }

  get closed(): boolean {
    return this.#closeReason !== undefined || this.#stream.closed || this.#stream.destroyed;
  }

  get queued(): number {
    return this.#sender.queued;
  }

  metadata(key: string): string | undefined {
    return metadataValue(this.#options.headers, key);
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
    if (this.#closeReason !== undefined) this.#tellClosed(this.#closeReason);
    this.#stream.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#stream.once("end", () => this.#halfClosed());
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    if (this.closed) return;
    const stream = this.#stream;
    if (!stream.headersSent) stream.respond(responseHeaders, withTrailers);
    this.#sender.send(prefix, segments);
  }

  end(status: GrpcStatus, message?: string, hints?: EndHints): void {
    this.#finish(status, message, { type: "server" }, hints);
  }

  #finish(status: GrpcStatus, message: string | undefined, reason: CloseReason, hints?: EndHints): void {
    if (!this.closed) this.#sendStatus(status, message, hints);
    this.#close(reason);
  }

  #sendStatus(status: GrpcStatus, message: string | undefined, hints: EndHints | undefined): void {
    const stream = this.#stream;
    const headers = { ...statusHeaders(status, message), ...hintHeaders(hints) };
    if (!stream.headersSent) {
      stream.respond({ ...responseHeaders, ...headers }, trailersOnly);
      stream.close();
      return;
    }
    stream.once("wantTrailers", () => {
      stream.sendTrailers(headers);
      // Stops a client that is still sending. In the same turn the reset would overtake the trailers.
      setImmediate(() => stream.close());
    });
    this.#sender.end();
  }

  #flushed(): void {
    if (this.closed) return;
    try {
      this.#handler?.onFlushed();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #read(chunk: Buffer): void {
    if (this.closed) return;
    const fault = this.#deframer.push(chunk);
    if (fault !== undefined) return this.#refuse(fault.status, fault.message);
    if (this.closed) return;
    const unread = this.#deframer.takeUnread();
    if (unread !== undefined) return this.#continueLater(unread);
    if (this.#deframer.midMessage) this.#unfinished ??= this.#finishInTime();
    this.#options.incompleteMessages.hold(this.#receiving, this.#deframer.heldBytes);
  }

  /** Other peers have their turn. Meanwhile HTTP/2 slows down this client. */
  #continueLater(unread: Buffer): void {
    this.#stream.pause();
    this.#stream.unshift(unread);
    setImmediate(() => this.#stream.resume());
  }

  /** A message that arrives too slowly would hold memory forever. */
  #finishInTime(): Cancel {
    const { messageMs, clock } = this.#options;
    return clock.after(messageMs, () => {
      this.#refuse(GrpcStatus.RESOURCE_EXHAUSTED, `a message was not complete within ${messageMs} ms`);
    });
  }

  #messageEnds(): void {
    this.#unfinished?.();
    this.#unfinished = undefined;
  }

  #receive(bytes: Uint8Array): void {
    this.#messageEnds();
    if (this.closed) return;
    this.#options.turnShares.take(this.peer);
    this.#messagesReceived += 1;
    if (this.#options.requests === "one" && this.#messagesReceived > 1) {
      this.#refuse(GrpcStatus.UNIMPLEMENTED, "this method takes one request, and more were sent");
      return;
    }
    try {
      this.#handler?.onMessage(bytes);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #halfClosed(): void {
    // A cancelled or lost stream also emits 'end'. The 'close' event reports the reason.
    if (this.closed) return;
    if (this.#deframer.midMessage) {
      this.#refuse(GrpcStatus.INTERNAL, "the request ended within a message");
    } else if (this.#options.requests === "many") {
      this.#finish(GrpcStatus.OK, undefined, { type: "client" });
    } else if (this.#messagesReceived === 0) {
      this.#refuse(GrpcStatus.UNIMPLEMENTED, "this method takes one request, and none was sent");
    }
  }

  /** The client broke the protocol. */
  #refuse(status: GrpcStatus, message: string): void {
    this.#options.logger.warn({ peer: this.peer.address, status, reason: message }, "grpc stream refused");
    this.#finish(status, message, { type: "broken", cause: new Error(message) });
  }

  /** The client has stopped reading. A status would wait behind the unread bytes, so none is sent. */
  #cutOff(): void {
    const { sendTimeoutMs, logger } = this.#options;
    logger.warn({ peer: this.peer.address, queued: this.queued, sendTimeoutMs }, "slow reader cut off");
    this.#stream.destroy(new SendTimeout(sendTimeoutMs));
  }

  /** The handler threw an error. The client gets no details. */
  #fail(error: unknown): void {
    this.#options.logger.error({ peer: this.peer.address, err: error }, "grpc stream handler failed");
    this.#finish(GrpcStatus.INTERNAL, "internal error", { type: "broken", cause: errorFrom(error) });
  }

  /** Derives the close reason of a 'close' that this side did not start. */
  #reasonOfLoss(): CloseReason {
    if (this.#error !== undefined) return { type: "broken", cause: this.#error };
    // Node resets the streams of a lost connection with CANCEL, like a client's own cancellation.
    if (this.#session?.destroyed) return { type: "broken", cause: new Error("the connection was lost") };
    const code = this.#stream.rstCode;
    if (code === constants.NGHTTP2_CANCEL || code === constants.NGHTTP2_NO_ERROR) return { type: "client" };
    return { type: "broken", cause: new Error(`the stream was reset with HTTP/2 error ${code}`) };
  }

  #close(reason: CloseReason): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#messageEnds();
    this.#options.incompleteMessages.hold(this.#receiving, 0);
    this.#tellClosed(reason);
  }

  #tellClosed(reason: CloseReason): void {
    try {
      this.#handler?.onClose(reason);
    } catch (thrown) {
      this.#options.logger.error({ peer: this.peer.address, err: thrown }, "grpc stream handler failed");
    }
  }
}

function peerOf(session: Http2Session | undefined, headers: IncomingHttpHeaders): Peer {
  const { remoteAddress, remotePort } = session?.socket ?? {};
  // Both are missing when the peer has already disconnected.
  const address = remoteAddress === undefined ? "unknown" : formatAddress(remoteAddress, remotePort ?? 0);
  const encrypted = session?.encrypted === true;
  return isForwarded(headers) ? { address, encrypted, forwarded: true } : { address, encrypted };
}
