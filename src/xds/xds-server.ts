import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus, type GrpcStream, type GrpcStreamHandler } from "../lib/grpc/grpc-stream.ts";
import { type Admit, type Admitted, invalid, type Refusal } from "./admission.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import type { Mode } from "./mode.ts";
import type { Client } from "./resource-source.ts";
import { NameSets } from "./resources/name-set.ts";
import { decidedByFirst, handOver } from "./stream/handover.ts";
import { NodeGuard } from "./stream/node-guard.ts";
import { RouteSplits } from "./virtual-hosts/route-splits.ts";
import { RepeatedNames } from "./wire/repeated-names.ts";
import { readDeltaRequest, readNodeOf, readSotwRequest } from "./wire/request.ts";
import { readTypeUrl } from "./wire/v2.ts";
import { BadMessage } from "./wire/wire-format.ts";

export interface XdsServerOptions<C extends Client> extends Omit<ConnectionContext<C>, "nameSets" | "splits"> {
  readonly admit: Admit<C>;
  /** The prefix of a client's connection ids. The suffix is a number. */
  readonly idOf: (client: C) => string;
  /** Handles requests of certain types that are no subscriptions, such as debug requests. */
  readonly outOfBand?: OutOfBandHandler<C>;
  /**
   * Selects another server for a client by the node of its first message. Returns undefined if this server serves it.
   */
  readonly otherServer?: (node: Uint8Array) => Serve | undefined;
  /** A connection has ended and is no longer in {@link XdsServer.connections}. */
  readonly onGone?: (connection: Connection<C>) => void;
  /** All bytes sent to a connection so far have left. */
  readonly onFlushed?: (connection: Connection<C>) => void;
}

/** Takes over a stream: attaches to the stream or ends it before the call returns. */
export type Serve = (stream: GrpcStream, kind: StreamKind) => void;

/** Handles requests that are no subscriptions: debug requests and health reports. Each request stands alone. */
export interface OutOfBandHandler<C extends Client> {
  handles(typeUrl: string): boolean;
  answer(request: OutOfBandRequest<C>): void;
}

/** A request that is no subscription. */
export interface OutOfBandRequest<C extends Client> {
  readonly client: C;
  readonly mode: Mode;
  readonly typeUrl: string;
  /** Empty unless the request refers to a response. */
  readonly nonce: string;
  readonly names: readonly string[];
  /** The error of a NACK, if the request is one. */
  readonly error: string | undefined;
  /** The stream for the answer. */
  readonly stream: GrpcStream;
}

/** The protocol variant of a stream, and its type. */
export interface StreamKind {
  readonly mode: Mode;
  /** The type of a single-type stream. Its requests may omit the type. */
  readonly only?: string;
}

/** Accepts streams and answers them from a source. After a publication the caller calls `push` on the connections. */
export class XdsServer<C extends Client> {
  readonly #options: XdsServerOptions<C>;
  readonly #context: ConnectionContext<C>;
  readonly #connections = new Set<Connection<C>>();
  #nextConnection = 0;

  constructor(options: XdsServerOptions<C>) {
    this.#options = options;
    this.#context = { ...options, nameSets: new NameSets(), splits: new RouteSplits() };
  }

  get connections(): ReadonlySet<Connection<C>> {
    return this.#connections;
  }

  /** Takes over a new stream. */
  serve(stream: GrpcStream, kind: StreamKind): void {
    const admission = this.#options.admit(stream);
    if (!(admission instanceof Promise)) return this.#admit(stream, kind, admission);
    admission.then(
      (late) => this.#admit(stream, kind, late),
      (thrown: unknown) => this.#fail(stream, "", thrown),
    );
  }

  #admit(stream: GrpcStream, kind: StreamKind, admission: Admitted<C> | Refusal): void {
    if (admission.type === "refused") return this.#refuse(stream, admission);
    const own = this.#handlerOf(stream, kind, admission);
    stream.attach(decidedByFirst((bytes) => this.#handlerOfOther(stream, kind, bytes) ?? own));
  }

  /** The handler of another server, if another server serves the stream. */
  #handlerOfOther(stream: GrpcStream, kind: StreamKind, bytes: Uint8Array): GrpcStreamHandler | undefined {
    const { otherServer } = this.#options;
    if (otherServer === undefined) return undefined;
    const serve = orUnread(() => {
      const node = readNodeOf(bytes, kind.mode);
      return node && otherServer(node);
    });
    return serve && handOver(stream, (handedOver) => serve(handedOver, kind));
  }

  #handlerOf(stream: GrpcStream, kind: StreamKind, admitted: Admitted<C>): GrpcStreamHandler {
    let connection: Connection<C> | undefined;
    const node = new NodeGuard();
    const repeated = new RepeatedNames();
    const { outOfBand } = this.#options;
    return {
      onMessage: (bytes) => {
        try {
          const receive = this.#read(bytes, kind, repeated);
          const fault = node.fault(receive.node) ?? typeFault(receive.typeUrl, kind);
          if (fault !== undefined) return this.#refuse(stream, fault);
          const isOutOfBand = outOfBand?.handles(receive.typeUrl) === true;
          // An out-of-band request may be the first message. Without a node it is dropped, and the next
          // message is the first one that needs a node.
          if (isOutOfBand && connection === undefined && receive.node === undefined) return;
          connection ??= this.#introduce(stream, kind, admitted, receive.node);
          if (connection === undefined) return;
          if (!isOutOfBand) return receive.by(connection);
          const { typeUrl, nonce, asks, error } = receive;
          const { client } = connection;
          outOfBand.answer({ client, mode: kind.mode, typeUrl, nonce, names: asks.texts(), error, stream });
        } catch (thrown) {
          this.#fail(stream, connection?.client.nodeId ?? "", thrown);
        }
      },
      onFlushed: () => {
        if (connection === undefined) return;
        connection.flushed();
        this.#options.onFlushed?.(connection);
      },
      onClose: (reason) => {
        if (connection === undefined) return;
        connection.close(reason);
        this.#connections.delete(connection);
        this.#options.onGone?.(connection);
        this.#options.observer.disconnected(connection.client.nodeId, reason.type);
      },
    };
  }

  /** Reads a message of either protocol variant for its connection. */
  #read(bytes: Uint8Array, { mode, only }: StreamKind, repeated: RepeatedNames) {
    const typeOf = (said: string) => (said === "" && only !== undefined ? only : said);
    if (mode === "sotw") {
      const read = readSotwRequest(bytes, repeated);
      const request = { ...read, typeUrl: typeOf(read.typeUrl) };
      return { ...request, asks: read.names, by: (connection: Connection<C>) => connection.receiveSotw(request) };
    }
    const read = readDeltaRequest(bytes);
    const request = { ...read, typeUrl: typeOf(read.typeUrl) };
    return { ...request, asks: read.subscribe, by: (connection: Connection<C>) => connection.receiveDelta(request) };
  }

  #introduce(stream: GrpcStream, { mode }: StreamKind, admitted: Admitted<C>, node: Uint8Array | undefined) {
    const introduced = admitted.introduce(node);
    if (introduced.type === "refused") {
      this.#refuse(stream, introduced);
      return undefined;
    }
    const { client } = introduced;
    const id = `${this.#options.idOf(client)}-${++this.#nextConnection}`;
    const connection = new Connection({ id, client, mode, stream }, this.#context);
    this.#connections.add(connection);
    this.#options.observer.connected(client);
    return connection;
  }

  /** The client sent an unreadable message, or the server has a bug. In both cases only this stream ends. */
  #fail(stream: GrpcStream, node: string, thrown: unknown): void {
    const error = errorFrom(thrown);
    if (error instanceof BadMessage) return this.#refuse(stream, invalid(error.message));
    this.#options.observer.streamFailed(node, error);
    stream.end(GrpcStatus.INTERNAL, "internal error");
  }

  #refuse(stream: GrpcStream, { status, message, retryAfterMs }: Refusal): void {
    this.#options.observer.refused(message);
    stream.end(status, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
}

/** Returns undefined for unreadable input. The serving server reports the error. */
function orUnread<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof BadMessage) return undefined;
    throw thrown;
  }
}

function typeFault(typeUrl: string, { only }: StreamKind): Refusal | undefined {
  if (typeUrl === "") return invalid("missing type URL: an aggregated stream does not know it otherwise");
  if (only === undefined || readTypeUrl(typeUrl).typeUrl === only) return undefined;
  return invalid(`type URL "${typeUrl}": this stream is for ${only} alone`);
}
