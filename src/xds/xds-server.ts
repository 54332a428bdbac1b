import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus, type GrpcStream, type GrpcStreamHandler } from "../lib/grpc/grpc-stream.ts";
import { type Admit, type Admitted, invalid, type Refusal } from "./admission.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import type { Mode } from "./mode.ts";
import type { Client } from "./resource-source.ts";
import { NameSets } from "./resources/name-set.ts";
import { decidedByFirst, handOver } from "./stream/handover.ts";
import { NodeGuard } from "./stream/node-guard.ts";
import { readDeltaRequest, readSotwRequest } from "./wire/request.ts";
import { readTypeUrl } from "./wire/v2.ts";
import { BadMessage } from "./wire/wire.ts";

export interface XdsServerOptions<C extends Client> extends Omit<ConnectionContext<C>, "nameSets"> {
  readonly admit: Admit<C>;
  /** What the ids of a client's connections start with; they end with a number. */
  readonly idOf: (client: C) => string;
  /** Answers questions of some types that are no subscriptions. */
  readonly aside?: Aside<C>;
  /** Who serves a client that wants something else altogether, told by the node of its first message, if somebody does. */
  readonly elsewhere?: (node: Uint8Array) => Serve | undefined;
  /** A connection has ended; it is not among {@link XdsServer.connections} any more. */
  readonly onGone?: (connection: Connection<C>) => void;
  /** All that was sent to a connection so far has left. */
  readonly onFlushed?: (connection: Connection<C>) => void;
}

/** Takes over a stream: attaches to it or ends it before the call returns. */
export type Serve = (stream: GrpcStream, kind: StreamKind) => void;

/** Who answers what connections do not know: each message is a question of its own. */
export interface Aside<C extends Client> {
  takes(typeUrl: string): boolean;
  answer(question: Question<C>): void;
}

/** A message that asks for no subscription. */
export interface Question<C extends Client> {
  readonly client: C;
  readonly mode: Mode;
  readonly typeUrl: string;
  /** Empty unless it speaks of a response. */
  readonly nonce: string;
  readonly names: readonly string[];
  /** What it complains of, where it does. */
  readonly error: string | undefined;
  /** Where the answer goes. */
  readonly stream: GrpcStream;
}

/** How a stream is spoken on. */
export interface StreamKind {
  readonly mode: Mode;
  /** The one type of a stream that is not aggregated; requests need not say it. */
  readonly only?: string;
}

/** Takes streams and answers them from a source. Whoever publishes something newer calls `push` of connections. */
export class XdsServer<C extends Client> {
  readonly #options: XdsServerOptions<C>;
  readonly #context: ConnectionContext<C>;
  readonly #connections = new Set<Connection<C>>();
  #nextConnection = 0;

  constructor(options: XdsServerOptions<C>) {
    this.#options = options;
    this.#context = { ...options, nameSets: new NameSets() };
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
    stream.attach(decidedByFirst((bytes) => this.#elsewhere(stream, kind, bytes) ?? own));
  }

  /** Who serves the stream, if it is not for us. */
  #elsewhere(stream: GrpcStream, kind: StreamKind, bytes: Uint8Array): GrpcStreamHandler | undefined {
    const { elsewhere } = this.#options;
    const serve = orUnread(() => {
      const { node } = readRequest(bytes, kind);
      return node && elsewhere?.(node);
    });
    return serve && handOver(stream, (handedOver) => serve(handedOver, kind));
  }

  #handlerOf(stream: GrpcStream, kind: StreamKind, admitted: Admitted<C>): GrpcStreamHandler {
    let connection: Connection<C> | undefined;
    const node = new NodeGuard();
    const { aside } = this.#options;
    return {
      onMessage: (bytes) => {
        try {
          const receive = this.#read(bytes, kind);
          const fault = node.fault(receive.node) ?? typeFault(receive.typeUrl, kind);
          if (fault !== undefined) return this.#refuse(stream, fault);
          const isAside = aside?.takes(receive.typeUrl) === true;
          // What is said aside before anybody was introduced is not the first message that has to say who speaks.
          if (isAside && connection === undefined && receive.node === undefined) return;
          connection ??= this.#introduce(stream, kind, admitted, receive.node);
          if (connection === undefined) return;
          if (!isAside) return receive.by(connection);
          const { typeUrl, nonce, asks, error } = receive;
          const { client } = connection;
          aside.answer({ client, mode: kind.mode, typeUrl, nonce, names: asks.texts(), error, stream });
        } catch (thrown) {
          this.#fail(stream, connection?.client.nodeId ?? "", thrown);
        }
      },
      onFlushed: () => {
        if (connection === undefined) return;
        connection.pump();
        this.#options.onFlushed?.(connection);
      },
      onClose: (reason) => {
        if (connection === undefined) return;
        connection.close();
        this.#connections.delete(connection);
        this.#options.onGone?.(connection);
        this.#options.observer.disconnected(connection.client.nodeId, reason.type);
      },
    };
  }

  /** A message of either protocol, ready for its connection. */
  #read(bytes: Uint8Array, { mode, only }: StreamKind) {
    const typeOf = (said: string) => (said === "" && only !== undefined ? only : said);
    if (mode === "sotw") {
      const read = readSotwRequest(bytes);
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

  /** The client sent what cannot be read, or we have a bug; either way only its stream ends. */
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

function readRequest(bytes: Uint8Array, { mode }: StreamKind) {
  return mode === "sotw" ? readSotwRequest(bytes) : readDeltaRequest(bytes);
}

/** Undefined for what cannot be read: whoever serves it says so. */
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
