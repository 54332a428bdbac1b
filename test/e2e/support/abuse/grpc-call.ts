import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";

/** How a call ended, in terms of HTTP/2 and gRPC. */
export interface CallEnd {
  readonly httpStatus: number | undefined;
  readonly grpcStatus: number | undefined;
}

/** A connection for calls that a gRPC library would never make. */
export class RawGrpcCaller implements Disposable {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    session.on("error", () => undefined);
  }

  static async open(port: number): Promise<RawGrpcCaller> {
    const session = connect(`http://127.0.0.1:${port}`);
    await once(session, "connect");
    return new RawGrpcCaller(session);
  }

  call(headers: Readonly<Record<string, string>>): RawGrpcCall {
    return new RawGrpcCall(
      this.#session.request({ ":method": "POST", "content-type": "application/grpc", ...headers }),
    );
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}

/** One call of the connection. It reads the answers and discards them. */
export class RawGrpcCall {
  readonly #stream: ClientHttp2Stream;
  readonly ended: Promise<CallEnd>;
  #httpStatus: number | undefined;
  #grpcStatus: number | undefined;
  #over = false;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    stream.on("response", (headers) => {
      this.#httpStatus = headers[":status"];
      this.#note(headers["grpc-status"]);
    });
    stream.on("trailers", (headers) => this.#note(headers["grpc-status"]));
    stream.on("error", () => undefined);
    stream.resume();
    this.ended = new Promise((resolve) => {
      stream.once("close", () => {
        this.#over = true;
        resolve({ httpStatus: this.#httpStatus, grpcStatus: this.#grpcStatus });
      });
    });
  }

  /**
   * True when the server has ended the call, possibly while we are still sending. If the status and the reset arrive
   * together, Node emits neither `response` nor `close` while bytes wait: then only `closed` tells.
   */
  get over(): boolean {
    return this.#over || this.#stream.closed || this.#grpcStatus !== undefined;
  }

  /** Resolves when there is room for more, or when the call is over. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.over || this.#stream.write(bytes)) return;
    await Promise.race([once(this.#stream, "drain"), this.ended]).catch(() => undefined);
  }

  /** Half-closes. */
  end(): Promise<CallEnd> {
    this.#stream.end();
    return this.ended;
  }

  #note(status: string | string[] | undefined): void {
    if (status !== undefined) this.#grpcStatus = Number(status);
  }
}

/** A gRPC message in its frame, with the given flags and length field. */
export function grpcFrame(message: Uint8Array, { flags = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}
