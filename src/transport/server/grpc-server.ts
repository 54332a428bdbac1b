import { once } from "node:events";
import {
  constants,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { BufferPool } from "../../lib/bounded/buffer-pool.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { MeshError } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream, type Metadata } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { type ListenAddress, parseAddress } from "../listen-address.ts";
import type { Authenticate, Authentication } from "../credentials/authenticator.ts";
import { credentialsOf } from "../credentials/stream-credentials.ts";
import { keepAlive } from "../keep-alive.ts";
import { listen } from "../listen.ts";
import { systemClock } from "../system-clock.ts";
import { secureServer, type TlsOptions } from "../tls/secure-server.ts";
import { IncompleteMessages } from "./incomplete-messages.ts";
import { inSlices } from "./in-slices.ts";
import { type Method, type MethodTables, methodsByPath } from "./method.ts";
import { defaultResetLimits, ResetGuard, type ResetLimits } from "./reset-guard.ts";
import { serverLimits } from "./server-limits.ts";
import { ServerGrpcStream } from "./server-stream.ts";
import { TurnShares } from "./turn-shares.ts";
import { limitAge } from "./session-age.ts";

/**
 * Receive window per stream and per connection. The default of 64 KiB is smaller than an Envoy's first request. Over a
 * network every further window costs a round trip.
 */
const receiveWindowBytes = 1 << 20;

/** Kept for further messages. In SotW each acknowledgement of a large mesh has some 60 kB. */
const freeBufferBytes = 4 << 20;

const defaultSendTimeoutMs = 30_000;
const defaultMaxStreams = 100_000;
const shuttingDown = "the server is shutting down";
const oldConnection = "the connection is old: open another one";
/** How long a connection above its maximum age may take to end. */
const retirementMs = 10_000;
/** The share of the stop time in which streams are ended. The rest is for clients to receive the status. */
const drainingShare = 0.8;

export interface GrpcServerOptions extends MethodTables {
  /** `HOST:PORT`, `[IPV6]:PORT`, `:PORT` for every interface, or `off`. Port 0 lets the system choose. */
  readonly address: string;
  readonly logger: Logger;
  /** The largest request message. An Envoy with 10 000 clusters resumes with about 1.1 MB. */
  readonly maxMessageBytes?: number;
  /** Limits that differ from the table, for tests. */
  readonly limits?: Partial<Limits<typeof serverLimits>>;
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  /** How long a client may read none of the sent bytes before it is cut off. 0 disables the limit. */
  readonly sendTimeoutMs?: number;
  /** Clock for `sendTimeoutMs`. Default: the system clock. */
  readonly clock?: Clock;
  /** The approximate maximum age of a connection. Then its client must open a new one. 0 disables the limit. */
  readonly maxAgeMs?: number;
  /** The limit of streams that clients of one address may reset, over all their connections. */
  readonly resets?: ResetLimits;
  /** The limit of concurrent streams per connection. */
  readonly maxStreams?: number;
  /** Default: cleartext. */
  readonly tls?: TlsOptions;
  /** Authenticates callers. Without it anyone may call. Methods read the identity from their stream's peer. */
  readonly authenticate?: Authenticate;
  /** Called when authentication fails. Default: a log line. */
  readonly onRefusedPeer?: (address: string, reasons: readonly string[]) => void;
  /**
   * Metadata that the server sends as soon as it accepts a stream, before any message. Without it headers leave with
   * the first message.
   */
  readonly metadata?: Metadata;
}

/**
 * A gRPC server over HTTP/2, with or without TLS. It handles paths, streams and bytes. The methods interpret the bytes.
 */
export interface GrpcServer {
  /**
   * Resolves with the bound address, or `off`. Rejects with `listen-failed`, or with `bad-option` when there is no
   * usable certificate.
   */
  start(): Promise<string>;
  /**
   * Stops listening, asks clients to open no more streams, and ends open streams with UNAVAILABLE. Many streams end
   * evenly over most of the time. Streams that are open after `graceMs` are closed.
   */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/** Throws `bad-option` for an invalid address. */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const address = parseAddress(options.address);
  if (address === undefined) {
    throw new MeshError("bad-option", `${JSON.stringify(options.address)} is not an address like 127.0.0.1:15010`);
  }
  return new Http2GrpcServer(address, options);
}

class Http2GrpcServer implements GrpcServer {
  readonly #address: ListenAddress;
  readonly #options: GrpcServerOptions;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #certificates: { start(): Promise<void>; stop(): Promise<void> } | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #streams = new Map<GrpcStream, Http2Session | undefined>();
  readonly #resets: ResetGuard;
  readonly #limits: Limits<typeof serverLimits>;
  readonly #incompleteMessages: IncompleteMessages;
  readonly #turnShares = new TurnShares();
  readonly #buffers = new BufferPool(freeBufferBytes);
  #started: Promise<string> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(address: ListenAddress, options: GrpcServerOptions) {
    this.#address = address;
    this.#options = options;
    this.#methods = methodsByPath(options, options.logger);
    this.#resets = new ResetGuard(options.clock ?? systemClock, options.resets ?? defaultResetLimits);
    const { maxMessageBytes: messageBytes } = options;
    this.#limits = limitsOf(serverLimits, { ...(messageBytes && { messageBytes }), ...options.limits });
    this.#incompleteMessages = new IncompleteMessages(this.#limits);
    const { maxStreams: maxConcurrentStreams = defaultMaxStreams } = options;
    const settings = { settings: { initialWindowSize: receiveWindowBytes, maxConcurrentStreams } };
    const secure = options.tls && secureServer(settings, options.tls, options.logger);
    this.#server = secure?.server ?? createServer(settings);
    this.#certificates = secure?.certificates;
    this.#server.on("connection", (socket: Socket) => this.#connected(socket));
    this.#server.on("session", (session) => this.#open(session));
    this.#server.on("stream", (stream, headers) => this.#accept(stream, headers));
    // The peer caused this: the connection is not HTTP/2, or died. Without a listener the event would end the process.
    this.#server.on("sessionError", (error: Error) => options.logger.debug({ err: error }, "grpc connection failed"));
  }

  start(): Promise<string> {
    this.#started ??= this.#listen();
    return this.#started;
  }

  stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#stopped ??= this.#shutDown(graceMs);
    return this.#stopped;
  }

  async #listen(): Promise<string> {
    if (this.#address.type === "off") return "off";
    await this.#certificates?.start();
    const bound = await listen(this.#server, this.#address).catch(async (thrown: unknown) => {
      await this.#certificates?.stop();
      throw thrown;
    });
    // From here on an error is a connection that could not be accepted, e.g. too many open files. Other connections
    // stay.
    this.#server.on("error", (error) => this.#options.logger.error({ err: error }, "grpc connection not accepted"));
    return bound;
  }

  get #pingIntervalMs(): number {
    return this.#options.pingIntervalMs ?? 30_000;
  }

  async #shutDown(graceMs: number): Promise<void> {
    await this.#started?.catch(() => undefined);
    await this.#certificates?.stop();
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const session of this.#sessions) session.close();
    const ended = inSlices(this.#streams.keys(), graceMs * drainingShare, (stream) => {
      stream.end(GrpcStatus.UNAVAILABLE, shuttingDown);
    });
    const cut = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
      // Connections in their handshake have no session yet.
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await Promise.all([closed, ended]);
    clearTimeout(cut);
  }

  #connected(socket: Socket): void {
    if (this.#resets.isBlocked(socket.remoteAddress ?? "")) return void socket.destroy();
    socket.setKeepAlive(true, this.#pingIntervalMs);
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #open(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    session.setLocalWindowSize(receiveWindowBytes);
    keepAlive(session, {
      pingIntervalMs: this.#pingIntervalMs,
      pingTimeoutMs: this.#options.pingTimeoutMs ?? 10_000,
    });
    limitAge(session, this.#options.maxAgeMs ?? 0, () => this.#retire(session));
  }

  /** Closes an old connection, so that its client is load-balanced again, perhaps to a newer replica. */
  #retire(session: ServerHttp2Session): void {
    session.close();
    for (const [stream, of] of this.#streams) {
      if (of === session) stream.end(GrpcStatus.UNAVAILABLE, oldConnection);
    }
    const cut = setTimeout(() => session.destroy(), retirementMs).unref();
    session.once("close", () => clearTimeout(cut));
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#watchForReset(stream);
    const httpStatus = httpRefusal(headers);
    if (httpStatus !== undefined) return refuseHttp(stream, httpStatus);

    const path = headers[":path"] ?? "";
    const method = this.#methods.get(path);
    const grpcStream = this.#streamOver(stream, headers, method?.requests ?? "one");
    if (method === undefined) return grpcStream.end(GrpcStatus.UNIMPLEMENTED, `unknown method ${path}`);
    if (this.#stopped !== undefined) return grpcStream.end(GrpcStatus.UNAVAILABLE, shuttingDown);
    const authenticate = method.authenticate ?? this.#options.authenticate;
    if (authenticate === undefined) return this.#serve(grpcStream, method, path);
    void this.#identified(grpcStream, authenticate(credentialsOf(stream, headers))).then(
      (known) => known && this.#serve(grpcStream, method, path),
    );
  }

  #watchForReset(stream: ServerHttp2Stream): void {
    const { session } = stream;
    const address = session?.socket.remoteAddress;
    if (session === undefined || address === undefined) return;
    stream.once("close", () => {
      // Streams of a lost connection were not reset. Streams that ended normally have no error.
      if (session.destroyed || stream.rstCode === constants.NGHTTP2_NO_ERROR) return;
      const isOneTooMany = this.#resets.reset(address);
      if (isOneTooMany) this.#options.logger.warn({ peer: address }, "address blocked for resets");
      if (this.#resets.isBlocked(address)) session.destroy();
    });
  }

  async #identified(stream: ServerGrpcStream, authentication: Promise<Authentication>): Promise<boolean> {
    const found = await authentication;
    if (found.type === "identified") stream.identify(found.identities);
    else this.#turnAway(stream, found.reasons);
    return found.type === "identified";
  }

  #serve(stream: ServerGrpcStream, method: Method, path: string): void {
    const { metadata } = this.#options;
    try {
      if (metadata !== undefined) stream.welcome(metadata);
      method.serve(stream);
    } catch (thrown) {
      this.#options.logger.error({ err: thrown, path }, "grpc method failed");
      stream.end(GrpcStatus.INTERNAL, "internal error");
    }
  }

  /** Refuses an unauthenticated client without details, because the reasons are internal. */
  #turnAway(stream: GrpcStream, reasons: readonly string[]): void {
    const { logger, onRefusedPeer = (peer) => logger.warn({ peer, reasons }, "client not authenticated") } =
      this.#options;
    onRefusedPeer(stream.peer.address, reasons);
    stream.end(GrpcStatus.UNAUTHENTICATED, "show a valid client certificate, or send a valid bearer token");
  }

  #streamOver(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, requests: Method["requests"]): ServerGrpcStream {
    const { logger, clock = systemClock, sendTimeoutMs = defaultSendTimeoutMs } = this.#options;
    const { messageBytes: maxMessageBytes, messageMs } = this.#limits;
    const grpcStream = new ServerGrpcStream(stream, {
      headers,
      requests,
      maxMessageBytes,
      messageMs,
      incompleteMessages: this.#incompleteMessages,
      buffers: this.#buffers,
      turnShares: this.#turnShares,
      sendTimeoutMs,
      clock,
      logger,
    });
    this.#streams.set(grpcStream, stream.session);
    stream.once("close", () => this.#streams.delete(grpcStream));
    return grpcStream;
  }
}

/** The HTTP status for a request that is not gRPC, as the gRPC over HTTP/2 protocol requires. */
function httpRefusal(headers: IncomingHttpHeaders): number | undefined {
  if (headers[":method"] !== "POST") return constants.HTTP_STATUS_METHOD_NOT_ALLOWED;
  // Not `startsWith`: application/grpc-web is another protocol.
  if (!/^application\/grpc(?:[+;]|$)/.test(headers["content-type"] ?? "")) {
    return constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE;
  }
  return undefined;
}

function refuseHttp(stream: ServerHttp2Stream, status: number): void {
  // The client may be gone already, which is harmless. Without a listener the event would end the process.
  stream.on("error", () => undefined);
  stream.respond({ ":status": status }, { endStream: true });
  stream.close();
}
