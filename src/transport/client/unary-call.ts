import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { countFields } from "../../lib/bounded/count-fields.ts";
import { overLimit } from "../../lib/bounded/limit.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import { UnprocessedCall } from "../../lib/grpc/grpc-connection.ts";
import { GrpcStatus, type ReceivedStatus } from "../../lib/grpc/grpc-stream.ts";
import { Deframer, type FramingFault, frameHead } from "../grpc-framing.ts";
import { receivedStatus } from "../grpc-status.ts";

export interface UnaryCallOptions {
  /** The server, for error texts: "etcd". */
  readonly peerName: string;
  readonly messageBytes: number;
  readonly messageFields: number;
  /** Time from the call to the end of the response, the connection included. */
  readonly callMs: number;
}

/** One request and one response on a stream of a shared connection. The call fails as soon as a limit is exceeded. */
export class UnaryCall {
  readonly #stream: ClientHttp2Stream;
  readonly #options: UnaryCallOptions;
  readonly #answer = Promise.withResolvers<Uint8Array>();
  readonly #deframer: Deframer;
  readonly #late: NodeJS.Timeout;
  #message: Uint8Array | undefined;
  #status: ReceivedStatus | undefined;
  #error: Error | undefined;
  #failed = false;
  #responded = false;

  constructor(stream: ClientHttp2Stream, request: Uint8Array, options: UnaryCallOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#deframer = new Deframer(options.messageBytes, (bytes) => this.#receive(bytes));
    this.#late = setTimeout(() => this.#fail(new MeshError("timeout", "no answer in time")), options.callMs);
    stream.on("response", (headers) => this.#respond(headers));
    stream.on("trailers", (headers) => {
      this.#status ??= receivedStatus(headers);
    });
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    stream.on("error", (error) => {
      // If the connection fails, the stream reports the connection's error as its cause.
      this.#error ??= error.cause instanceof Error ? error.cause : error;
    });
    stream.once("close", () => this.#settle());
    stream.end(frameHead(request, []));
  }

  get answer(): Promise<Uint8Array> {
    return this.#answer.promise;
  }

  #respond(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    this.#responded = true;
    this.#status ??= receivedStatus(headers);
    const httpStatus = headers[":status"];
    if (httpStatus !== constants.HTTP_STATUS_OK)
      this.#fail(new MeshError("peer-protocol", `it answered HTTP ${httpStatus}, not gRPC`));
  }

  #read(chunk: Buffer): void {
    // Bytes after a fault are no messages.
    if (this.#failed) return;
    const fault = this.#deframer.push(chunk);
    if (fault !== undefined) this.#fail(this.#faultError(fault));
  }

  /** The bytes may be a view of a chunk. Node never writes to a chunk again, so they stay valid. */
  #receive(bytes: Uint8Array): void {
    if (this.#failed) return;
    const { messageFields, peerName } = this.#options;
    if (this.#message !== undefined) this.#fail(new MeshError("peer-protocol", `${peerName} sent two answers`));
    const fields = countFields(bytes, messageFields);
    if (fields > messageFields)
      this.#fail(overLimit(`a message of ${peerName}`, messageFields, "fields", `at least ${fields}`));
    this.#message = bytes;
  }

  #faultError({ message, length }: FramingFault): MeshError {
    const { messageBytes, peerName } = this.#options;
    if (length === undefined) return new MeshError("peer-protocol", message);
    return overLimit(`a message of ${peerName}`, messageBytes, "bytes", length);
  }

  #fail(error: MeshError): void {
    this.#failed = true;
    this.#answer.reject(error);
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Has no effect after {@link #fail}. */
  #settle(): void {
    clearTimeout(this.#late);
    if (this.#status === undefined) this.#answer.reject(this.#lossError());
    else if (this.#status.code !== GrpcStatus.OK) this.#answer.reject(refusal(this.#status));
    else if (this.#message === undefined)
      this.#answer.reject(new MeshError("peer-protocol", `${this.#options.peerName} sent no answer`));
    else this.#answer.resolve(this.#message);
  }

  #lossError(): MeshError {
    const reason = this.#error === undefined ? "the connection was lost" : networkReason(this.#error);
    // Also the code of streams that a GOAWAY leaves out: nghttp2 closes them with it.
    const unprocessed = this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && !this.#responded;
    if (unprocessed) return new UnprocessedCall(reason, { cause: this.#error });
    return new MeshError("unavailable", reason, { cause: this.#error });
  }
}

function refusal({ code, message }: ReceivedStatus): MeshError {
  return new MeshError("unavailable", message === "" ? `the call failed with gRPC status ${code}` : message);
}
