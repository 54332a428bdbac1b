import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** HTTP/2's types of frames, by number. */
export const FrameType = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FrameFlag = { none: 0, ack: 1, endStream: 1, endHeaders: 4 } as const;

/** HTTP/2's errors, by number. */
export const Http2Error = {
  protocolError: 1,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const HEADER_BYTES = 9;

export function http2Frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A block of headers, each written out in full. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).map(([name, value]) =>
      Buffer.concat([
        Buffer.from([0, name.length]),
        Buffer.from(name),
        Buffer.from([value.length]),
        Buffer.from(value),
      ]),
    ),
  );
}

/** The headers of a call of ADS. */
export const adsCall = headerBlock({
  ":method": "POST",
  ":scheme": "http",
  ":path": "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
  ":authority": "test",
  "content-type": "application/grpc",
  te: "trailers",
});

/** Bytes on a socket, as the sender of them likes: a client that keeps no rule of HTTP/2. */
export class RawHttp2 implements Disposable {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** Whether the server has hung up. */
  closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    // A server that cuts us off is what most of these want to see.
    socket.on("error", () => {
      this.closed = true;
    });
    socket.once("close", () => {
      this.closed = true;
    });
  }

  /** A connection with HTTP/2's preface and settings. */
  static async open(port: number, settings: Uint8Array = Buffer.alloc(0), from?: string): Promise<RawHttp2> {
    const client = await RawHttp2.openBare(port, from);
    await client.send(PREFACE, http2Frame(FrameType.settings, FrameFlag.none, 0, settings));
    return client;
  }

  /** A connection on which nothing has been said, from this address of the machine. */
  static async openBare(port: number, from = "127.0.0.1"): Promise<RawHttp2> {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    const client = new RawHttp2(socket);
    await once(socket, "connect");
    return client;
  }

  /** Reads nothing from now on: what the server sends piles up. */
  turnDeaf(): void {
    this.#socket.pause();
  }

  /** Sends as fast as the socket takes it; what comes after the server has hung up is dropped. */
  async send(...frames: readonly Uint8Array[]): Promise<void> {
    if (this.closed) return;
    const room = this.#socket.write(Buffer.concat(frames));
    if (!room)
      await Promise.race([once(this.#socket, "drain"), once(this.#socket, "close"), pause(5_000)]).catch(() => {});
  }

  /** The frames that have come so far, as far as they are whole. */
  frames(): readonly { readonly type: number; readonly stream: number; readonly payload: Buffer }[] {
    const frames = [];
    let rest = this.#received;
    while (rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + rest.readUIntBE(0, 3);
      if (end > rest.length) break;
      frames.push({ type: rest.readUInt8(3), stream: rest.readUInt32BE(5), payload: rest.subarray(HEADER_BYTES, end) });
      rest = rest.subarray(end);
    }
    return frames;
  }

  /** The error that the server gave for hanging up, if it has said so. */
  get goAway(): number | undefined {
    return this.frames()
      .find(({ type }) => type === FrameType.goAway)
      ?.payload.readUInt32BE(4);
  }

  /** The errors that streams were reset with. */
  get resets(): readonly number[] {
    return this.frames()
      .filter(({ type }) => type === FrameType.rstStream)
      .map(({ payload }) => payload.readUInt32BE(0));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
