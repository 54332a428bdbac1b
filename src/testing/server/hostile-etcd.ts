import { createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { listenLocally, portOfServer } from "./listen-locally.ts";

/** The answer to a range request for one page of keys. Undefined: no answer. */
export interface HostilePage {
  readonly keys: readonly string[];
  readonly more?: boolean;
  /** The size of each value. */
  readonly valueBytes?: number;
}

/** An etcd that serves only ranges, with answers of the test. */
export class HostileEtcd implements AsyncDisposable {
  /** The number of range requests. */
  asked = 0;
  page: (asked: number) => HostilePage | undefined = () => ({ keys: [] });
  readonly #server: Http2Server;
  readonly #sessions = new Set<Http2Session>();

  private constructor(gzip: boolean) {
    this.#server = createServer();
    this.#server.on("session", (session) => this.#sessions.add(session));
    this.#server.on("stream", (stream) => {
      stream.on("error", () => {});
      const page = this.page(this.asked++);
      if (page !== undefined) answer(stream, rangeResponse(page), gzip);
    });
  }

  static async start({ gzip = false } = {}): Promise<HostileEtcd> {
    const etcd = new HostileEtcd(gzip);
    await listenLocally(etcd.#server);
    return etcd;
  }

  get address(): string {
    return `127.0.0.1:${portOfServer(this.#server)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Sends one message and an OK status. */
function answer(stream: ServerHttp2Stream, message: Buffer, gzip: boolean): void {
  const body = gzip ? gzipSync(message) : message;
  const head = Buffer.alloc(5);
  head.writeUInt8(gzip ? 1 : 0, 0);
  head.writeUInt32BE(body.length, 1);
  stream.respond(
    { ":status": 200, "content-type": "application/grpc", ...(gzip && { "grpc-encoding": "gzip" }) },
    { waitForTrailers: true },
  );
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.concat([head, body]));
}

/** Fields as etcd's `rpc.proto` and `kv.proto` number them. */
function rangeResponse({ keys, more = false, valueBytes = 1 }: HostilePage): Buffer {
  const out = new BinaryWriter();
  out.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(1).tag(3, WireType.Varint).int64(1).join();
  for (const key of keys) {
    out.tag(2, WireType.LengthDelimited).fork();
    out.tag(1, WireType.LengthDelimited).bytes(Buffer.from(key));
    out.tag(2, WireType.Varint).int64(1).tag(3, WireType.Varint).int64(1).tag(4, WireType.Varint).int64(1);
    out.tag(5, WireType.LengthDelimited).bytes(Buffer.alloc(valueBytes)).join();
  }
  out.tag(3, WireType.Varint).bool(more).tag(4, WireType.Varint).int64(keys.length);
  return Buffer.from(out.finish());
}
