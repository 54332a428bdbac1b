import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import { countFields } from "../../lib/bounded/count-fields.ts";
import { type Limits, overLimit } from "../../lib/bounded/limit.ts";
import { errorFrom } from "../../lib/errors.ts";
import {
  type CloseReason,
  GrpcStatus,
  type GrpcStream,
  type GrpcStreamHandler,
  type Peer,
  type ReceivedStatus,
} from "../../lib/grpc/grpc-stream.ts";
import { SendTimeout } from "../../lib/grpc/send-timeout.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { Deframer, faultError } from "../grpc-framing.ts";
import { receivedStatus } from "../grpc-status.ts";
import { metadataValue } from "../metadata-headers.ts";
import { MessageSender } from "../message-sender.ts";
import type { clientLimits } from "./client-limits.ts";

/** How long a server may take to answer a half-close before the client closes the connection. */
const farewellMs = 1_000;

export interface ClientStreamOptions {
  /** The server's address, for logs. */
  readonly address: string;
  readonly maxMessageBytes: number;
  readonly limits: Pick<Limits<typeof clientLimits>, "messageFields" | "responseMs" | "messageMs">;
  readonly sendTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The server accepted the stream and sent its metadata. */
  readonly onResponse: (headers: IncomingHttpHeaders) => void;
}

/**
 * The client's end of a `GrpcStream`. Its own connection ends with it; a shared one stays. The handler gets `onClose`
 * once; after `end` it runs before that call returns. An error that the handler throws cancels the stream.
 */
export class ClientGrpcStream implements GrpcStream {
  readonly peer: Peer;
  readonly #ownSession: ClientHttp2Session | undefined;
  readonly #stream: ClientHttp2Stream;
  readonly #options: ClientStreamOptions;
  readonly #deframer: Deframer;
  readonly #sender: MessageSender;
  #handler: GrpcStreamHandler | undefined;
  #closeReason: CloseReason | undefined;
  #status: ReceivedStatus | undefined;
  #headers: IncomingHttpHeaders = {};
  #error: Error | undefined;
  #largest: number;
  /** Runs until the server accepts the stream. */
  #untaken: NodeJS.Timeout | undefined;
  /** Runs while a message is incomplete. */
  #unfinished: NodeJS.Timeout | undefined;

  constructor(ownSession: ClientHttp2Session | "shared", stream: ClientHttp2Stream, options: ClientStreamOptions) {
    this.peer = { address: options.address };
    this.#ownSession = ownSession === "shared" ? undefined : ownSession;
    this.#stream = stream;
    this.#options = options;
    this.#deframer = new Deframer(options.maxMessageBytes, (bytes) => this.#receive(bytes));
    this.#sender = new MessageSender(stream, {
      ...options,
      onStuck: () => this.#notRead(),
      onEmpty: () => this.#flushed(),
    });
    this.#largest = options.maxMessageBytes / 2;
    this.#listen();
  }

  get closed(): boolean {
    return this.#closeReason !== undefined;
  }

  get queued(): number {
    return this.#sender.queued;
  }

  metadata(key: string): string | undefined {
    return metadataValue(this.#headers, key);
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
    if (this.#closeReason !== undefined) handler.onClose(this.#closeReason);
    this.#stream.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#stream.once("end", () => this.#ended());
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    if (this.closed) return;
    this.#sender.send(prefix, segments);
  }

  end(status: GrpcStatus): void {
    if (this.closed) return;
    if (status === GrpcStatus.OK) this.#sender.end();
    else this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#close({ type: "client" });
  }

  #listen(): void {
    const session = this.#ownSession;
    const stream = this.#stream;
    session?.on("error", (error) => this.#failed(error));
    stream.on("error", (error) => this.#failed(error));
    session?.once("close", () => this.#close(this.#reasonOfLoss()));
    if (session === undefined) this.#awaitResponse();
    else session.once("connect", () => this.#awaitResponse());
    stream.once("close", () => this.#close(this.#reasonOfLoss()));
    stream.on("response", (headers) => this.#responded(headers));
    stream.on("trailers", (headers) => {
      this.#status ??= receivedStatus(headers);
    });
  }

  #awaitResponse(): void {
    const { responseMs } = this.#options.limits;
    if (this.closed) return;
    const late = () => this.#break(new Error(`it has not taken the stream within ${responseMs} ms`));
    this.#untaken = setTimeout(late, responseMs).unref();
  }

  /** If the connection fails, the stream reports the connection's error as its cause. */
  #failed(error: Error): void {
    this.#error ??= error.cause instanceof Error ? error.cause : error;
  }

  #responded(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    clearTimeout(this.#untaken);
    this.#headers = headers;
    this.#status ??= receivedStatus(headers);
    const httpStatus = headers[":status"];
    if (httpStatus !== constants.HTTP_STATUS_OK) this.#break(new Error(`it answered HTTP ${httpStatus}, not gRPC`));
    else if (this.#status === undefined) this.#options.onResponse(headers);
  }

  #flushed(): void {
    if (!this.closed) this.#guarded(() => this.#handler?.onFlushed());
  }

  #read(chunk: Buffer): void {
    if (this.closed) return;
    const fault = this.#deframer.push(chunk);
    if (fault !== undefined) this.#break(faultError(fault));
    else if (this.#deframer.midMessage && !this.closed) this.#unfinished ??= this.#finishInTime();
  }

  /** A message that arrives too slowly would block the stream and all later messages forever. */
  #finishInTime(): NodeJS.Timeout {
    const { messageMs } = this.#options.limits;
    const late = () => this.#break(new Error(`a message was not complete within ${messageMs} ms`));
    return setTimeout(late, messageMs).unref();
  }

  #receive(bytes: Uint8Array): void {
    clearTimeout(this.#unfinished);
    this.#unfinished = undefined;
    if (this.closed) return;
    const { messageFields } = this.#options.limits;
    const fields = countFields(bytes, messageFields);
    if (fields > messageFields)
      return this.#break(overLimit("a message", messageFields, "fields", `at least ${fields}`));
    if (bytes.length > this.#largest) this.#warnOfSize(bytes.length);
    this.#guarded(() => this.#handler?.onMessage(bytes));
  }

  /** Warns before a message reaches the limit and the stream stops, so that the operator can raise the limit. */
  #warnOfSize(bytes: number): void {
    this.#largest = bytes;
    const { address: server, maxMessageBytes, logger } = this.#options;
    logger.warn({ server, bytes, maxMessageBytes }, "messages come near the limit");
  }

  #notRead(): void {
    this.#break(new SendTimeout(this.#options.sendTimeoutMs));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#options.logger.error({ server: this.peer.address, err: thrown }, "grpc stream handler failed");
      this.#break(errorFrom(thrown));
    }
  }

  #break(cause: Error): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#close({ type: "broken", cause });
  }

  /** The server closed its half. The client must close its half too, or the connection stays open. */
  #ended(): void {
    this.#close(this.#reasonOfLoss());
    this.#stream.close();
  }

  /** Derives the close reason of an end that this side did not start. */
  #reasonOfLoss(): CloseReason {
    if (this.#status !== undefined) return { type: "server", status: this.#status };
    return { type: "broken", cause: this.#error ?? new Error("the connection was lost") };
  }

  /** A session that is closed before it is connected would drop the unsent data of its stream. */
  #hangUp(): void {
    const session = this.#ownSession;
    if (session === undefined) return cutLater(this.#stream);
    if (this.#stream.destroyed) session.close();
    else this.#stream.once("close", () => session.close());
    cutLater(session);
  }

  #close(reason: CloseReason): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    clearTimeout(this.#untaken);
    clearTimeout(this.#unfinished);
    this.#sender.release();
    this.#hangUp();
    try {
      this.#handler?.onClose(reason);
    } catch (thrown) {
      this.#options.logger.error({ server: this.peer.address, err: thrown }, "grpc stream handler failed");
    }
  }
}

/** Ends the connection, or the stream of a shared one, unless the server does so in time. */
function cutLater(ending: ClientHttp2Session | ClientHttp2Stream): void {
  const cut = setTimeout(() => ending.destroy(), farewellMs).unref();
  ending.once("close", () => clearTimeout(cut));
}
