import { connect, type OutgoingHttpHeaders, type SecureClientSessionOptions } from "node:http2";
import { MeshError } from "../../lib/errors.ts";
import { type GrpcConnection, UnprocessedCall } from "../../lib/grpc/grpc-connection.ts";
import type { Metadata } from "../../lib/grpc/grpc-stream.ts";
import { limitsOf } from "../../lib/bounded/limit.ts";
import type { Logger } from "../../lib/logger.ts";
import { keepAlive } from "../keep-alive.ts";
import { systemClock } from "../system-clock.ts";
import { clientLimits } from "./client-limits.ts";
import { ClientGrpcStream } from "./client-stream.ts";
import { requestHeaders } from "./request-headers.ts";
import { UnaryCall, type UnaryCallOptions } from "./unary-call.ts";

/** Receive window per stream and per connection. Over a network each further window costs a round trip. */
const receiveWindowBytes = 4 << 20;
const sendTimeoutMs = 30_000;
const ping = { pingIntervalMs: 30_000, pingTimeoutMs: 10_000 };

export interface GrpcConnectionOptions {
  /** `HOST:PORT` or `[IPV6]:PORT`. */
  readonly address: string;
  readonly logger: Logger;
  /** Limits of calls. Those of bytes and fields also apply to messages of streams. */
  readonly calls: UnaryCallOptions;
  /** Default: cleartext. */
  readonly tls?: SecureClientSessionOptions | undefined;
}

/** Connects in the background: calls wait for the connection, and report its failure. */
export function connectGrpc({ address, logger, calls, tls }: GrpcConnectionOptions): GrpcConnection {
  const session = connect(`${tls === undefined ? "http" : "https"}://${address}`, {
    ...tls,
    settings: { initialWindowSize: receiveWindowBytes, enablePush: false },
  });
  const late = setTimeout(() => session.destroy(new MeshError("timeout", "no answer in time")), calls.callMs);
  let open = 0;
  session.once("close", () => clearTimeout(late));
  // Every call gets the error too. Without a listener it would end the process.
  session.on("error", () => {});
  session.once("connect", () => {
    clearTimeout(late);
    // Node announces the connection a turn later. Meanwhile it may be disposed of, or lost.
    if (session.destroyed) return;
    session.setLocalWindowSize(receiveWindowBytes);
    keepAlive(session, { ...ping, isIdle: () => open === 0 });
  });
  const request = (headers: OutgoingHttpHeaders) => {
    const stream = session.request(headers, { endStream: false });
    open += 1;
    stream.once("close", () => {
      open -= 1;
    });
    return stream;
  };
  const { messageBytes, messageFields } = calls;
  const limits = { ...limitsOf(clientLimits), messageFields };
  const streamOptions = { address, clock: systemClock, maxMessageBytes: messageBytes, limits, sendTimeoutMs, logger };
  const isClosed = () => session.closed || session.destroyed;
  return {
    get closed() {
      return isClosed();
    },
    call: async (path, message, metadata) => {
      if (isClosed()) throw new UnprocessedCall("the connection takes no more calls");
      return await new UnaryCall(request(requestHeaders(path, metadata)), message, calls).answer;
    },
    open: (path, metadata: Metadata) =>
      new ClientGrpcStream("shared", request(requestHeaders(path, metadata)), {
        ...streamOptions,
        onResponse: () => {},
      }),
    // Ends open calls. Without any, the server gets a proper goodbye.
    [Symbol.dispose]: () => (open === 0 ? session.close() : session.destroy()),
  };
}
