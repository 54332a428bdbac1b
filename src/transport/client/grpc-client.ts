import { connect, type IncomingHttpHeaders, type SecureClientSessionOptions } from "node:http2";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { MeshError } from "../../lib/errors.ts";
import type { GrpcStream, Metadata } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { formatAddress, parseAddress } from "../listen-address.ts";
import { keepAlive } from "../keep-alive.ts";
import { systemClock } from "../system-clock.ts";
import { ClientGrpcStream } from "./client-stream.ts";
import { type ClientTlsOptions, reloadedClientTls } from "./reloaded-client-tls.ts";
import { clientLimits } from "./client-limits.ts";
import { requestHeaders } from "./request-headers.ts";

/** Receive window per stream and per connection. Over a network each further window costs a round trip. */
const receiveWindowBytes = 4 << 20;
const defaultSendTimeoutMs = 30_000;

export interface GrpcClientOptions {
  /** `HOST:PORT` or `[IPV6]:PORT`. */
  readonly address: string;
  readonly logger: Logger;
  /** Sent with every stream. */
  readonly metadata?: Metadata;
  /** The largest message from a server. A larger message cancels its stream. */
  readonly maxMessageBytes?: number;
  /** Limits that differ from the table. */
  readonly limits?: Partial<Limits<typeof clientLimits>>;
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** How long a server may read none of the sent bytes before the stream ends. 0 disables the limit. */
  readonly sendTimeoutMs?: number;
  /** Clock for `sendTimeoutMs`. Default: the system clock. */
  readonly clock?: Clock;
  /** Default: cleartext. */
  readonly tls?: ClientTlsOptions;
}

/** Calls one gRPC server. Each stream has its own connection, so that one failure affects one stream. */
export interface GrpcClient {
  readonly address: string;
  /** Rejects with `bad-option` when certificates are unusable. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reports connection failures to the handler of the stream. */
  open(path: string, onResponse?: (headers: IncomingHttpHeaders) => void): GrpcStream;
}

/** Throws `bad-option` for an invalid address. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  const address = parseAddress(options.address);
  if (address?.type !== "tcp" || address.host === "" || address.port === 0) {
    throw new MeshError("bad-option", `${JSON.stringify(options.address)} is not an address like 127.0.0.1:9901`);
  }
  const server = formatAddress(address.host, address.port);
  const tls = options.tls && reloadedClientTls(options.tls, options.logger);
  return {
    address: server,
    start: async () => tls?.files?.start(),
    stop: async () => tls?.files?.stop(),
    open: (path, onResponse = () => undefined) =>
      openStream(server, path, { ...options, onResponse, tls: tls?.context }),
  };
}

interface Opening extends Omit<GrpcClientOptions, "tls"> {
  readonly onResponse: (headers: IncomingHttpHeaders) => void;
  readonly tls: (() => SecureClientSessionOptions) | undefined;
}

function openStream(server: string, path: string, opening: Opening): GrpcStream {
  const { pingIntervalMs = 30_000, pingTimeoutMs = 10_000, tls, onResponse, logger } = opening;
  const { sendTimeoutMs = defaultSendTimeoutMs } = opening;
  const limits = limitsOf(clientLimits, opening.limits);
  const { maxMessageBytes = limits.messageBytes, connectTimeoutMs = limits.connectMs } = opening;
  const { clock = systemClock } = opening;
  const session = connect(`${tls === undefined ? "http" : "https"}://${server}`, {
    ...tls?.(),
    settings: { initialWindowSize: receiveWindowBytes, enablePush: false },
  });
  const late = setTimeout(() => {
    session.destroy(new Error(`it did not answer within ${connectTimeoutMs} ms`));
  }, connectTimeoutMs);
  session.once("close", () => clearTimeout(late));
  session.once("connect", () => {
    clearTimeout(late);
    // Node announces the connection a turn later. Meanwhile it may be closed, or lost.
    if (session.destroyed) return;
    session.setLocalWindowSize(receiveWindowBytes);
    keepAlive(session, { pingIntervalMs, pingTimeoutMs });
  });
  const stream = session.request(requestHeaders(path, opening.metadata), { endStream: false });
  return new ClientGrpcStream(session, stream, {
    address: server,
    clock,
    maxMessageBytes,
    limits,
    sendTimeoutMs,
    logger,
    onResponse,
  });
}
