import { adsCall, FrameFlag, FrameType, Http2Error, headerBlock, http2Frame, uint32 } from "./raw-http2.ts";

/** Frames that break a rule of HTTP/2, and the error with which the connection must end. */
export const badFrames: readonly (readonly [name: string, error: number, frames: readonly Uint8Array[]])[] = [
  [
    "a frame over the maximum size",
    Http2Error.frameSize,
    [openCall(), http2Frame(FrameType.data, 0, 1, Buffer.alloc(20_000))],
  ],
  ["a DATA frame without a stream", Http2Error.protocolError, [http2Frame(FrameType.data, 0, 0, Buffer.alloc(5))]],
  ["a DATA frame of an idle stream", Http2Error.protocolError, [http2Frame(FrameType.data, 0, 7, Buffer.alloc(5))]],
  ["invalid header compression", Http2Error.compression, [headers(1, Buffer.alloc(5, 0xff))]],
  ["a window overflow", Http2Error.flowControl, [http2Frame(FrameType.windowUpdate, 0, 0, uint32(0x7fff_ffff))]],
  ["a window increment of zero", Http2Error.protocolError, [http2Frame(FrameType.windowUpdate, 0, 0, uint32(0))]],
  ["a stream with a server's id", Http2Error.protocolError, [headers(2, adsCall)]],
  ["a PUSH_PROMISE of a client", Http2Error.protocolError, [pushPromise()]],
  ["settings cut short", Http2Error.frameSize, [http2Frame(FrameType.settings, 0, 0, Buffer.alloc(5))]],
];

const ping = http2Frame(FrameType.ping, 0, 0, Buffer.alloc(8));

/** A flood: the first bytes, and the bytes that repeat. */
export interface Flood {
  readonly name: string;
  /** Sends without ever reading the answers. */
  readonly deaf: boolean;
  readonly first: readonly Uint8Array[];
  readonly again: (turn: number) => readonly Uint8Array[];
  /** The number of turns in one write. */
  readonly atOnce: number;
  /** The largest number of turns. */
  readonly turns: number;
  /**
   * True if the server closes the connection, because no client has a reason to do this. Otherwise it tolerates the
   * flood.
   */
  readonly cutOff: boolean;
}

/**
 * HTTP/2 counts the answers that wait for room in the socket, and ends the connection at 1 000. So more than 1 000
 * turns leave at once. The kernels of both ends hold up to 40 MB of answers, so there are more turns than they can
 * hold.
 */
const unread = { deaf: true, atOnce: 2000, turns: 6_000_000 };

export const floods: readonly Flood[] = [
  flood("pings", { again: () => [ping], cutOff: false }),
  flood("pings whose answers nobody reads", { again: () => [ping], ...unread }),
  flood("settings", { again: () => [http2Frame(FrameType.settings, 0, 0)], cutOff: false }),
  flood("settings whose answers nobody reads", { again: () => [http2Frame(FrameType.settings, 0, 0)], ...unread }),
  flood("streams that are opened and reset", {
    again: (turn) => [headers(1 + 2 * turn, adsCall), reset(1 + 2 * turn)],
  }),
  flood("streams that stay open", { again: (turn) => [headers(1 + 2 * turn, adsCall)], turns: 20_000, cutOff: false }),
  flood("headers without end", { first: [http2Frame(FrameType.headers, 0, 1, adsCall)], again: moreHeaders }),
  flood("empty frames of data", { first: [openCall()], again: () => [http2Frame(FrameType.data, 0, 1)] }),
  flood("empty messages", {
    first: [openCall()],
    again: () => [http2Frame(FrameType.data, 0, 1, Buffer.alloc(5))],
    cutOff: false,
  }),
  flood("priorities", { again: (turn) => [http2Frame(2, 0, 1 + 2 * (turn % 1000), Buffer.alloc(5, 3))] }),
  flood("windows that open by one", {
    again: () => [http2Frame(FrameType.windowUpdate, 0, 0, uint32(1))],
    cutOff: false,
  }),
];

function flood(name: string, rest: Pick<Flood, "again"> & Partial<Flood>): Flood {
  return { name, deaf: false, first: [], atOnce: 100, turns: 50_000, cutOff: true, ...rest };
}

function headers(stream: number, block: Uint8Array): Buffer {
  return http2Frame(FrameType.headers, FrameFlag.endHeaders, stream, block);
}

function openCall(): Buffer {
  return headers(1, adsCall);
}

function reset(stream: number): Buffer {
  return http2Frame(FrameType.rstStream, 0, stream, uint32(Http2Error.cancel));
}

function pushPromise(): Buffer {
  return http2Frame(FrameType.pushPromise, FrameFlag.endHeaders, 1, Buffer.concat([uint32(2), adsCall]));
}

function moreHeaders(turn: number): readonly Uint8Array[] {
  return [http2Frame(FrameType.continuation, 0, 1, headerBlock({ [`x-${turn}`]: "y".repeat(100) }))];
}
