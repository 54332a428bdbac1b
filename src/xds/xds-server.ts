import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../lib/grpc-stream.ts";
import type { Admit, Admitted, Refusal } from "./admission.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import type { Client } from "./resource-source.ts";
import { NameSets } from "./resources/name-set.ts";
import { readDeltaRequest, readSotwRequest } from "./wire/request.ts";
import { BadMessage } from "./wire/wire.ts";

export interface XdsServerOptions<C extends Client> extends Omit<ConnectionContext<C>, "nameSets"> {
  readonly admit: Admit<C>;
  /** What the ids of a client's connections start with; they end with a number. */
  readonly idOf: (client: C) => string;
  /** A connection has ended; it is not among {@link XdsServer.connections} any more. */
  readonly onGone?: (connection: Connection<C>) => void;
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
  serve(stream: GrpcStream, mode: "sotw" | "delta"): void {
    const admission = this.#options.admit(stream);
    if (!(admission instanceof Promise)) return this.#admit(stream, mode, admission);
    admission.then(
      (late) => this.#admit(stream, mode, late),
      (thrown: unknown) => this.#fail(stream, "", thrown),
    );
  }

  #admit(stream: GrpcStream, mode: "sotw" | "delta", admission: Admitted<C> | Refusal): void {
    if (admission.type === "refused") return this.#refuse(stream, admission);
    let connection: Connection<C> | undefined;
    stream.attach({
      onMessage: (bytes) => {
        try {
          const request = mode === "sotw" ? readSotwRequest(bytes) : readDeltaRequest(bytes);
          connection ??= this.#introduce(stream, mode, admission, request.node);
          if (connection === undefined) return;
          if ("nameSection" in request) connection.receiveSotw(request);
          else connection.receiveDelta(request);
        } catch (thrown) {
          this.#fail(stream, connection?.client.nodeId ?? "", thrown);
        }
      },
      onFlushed: () => connection?.pump(),
      onClose: (reason) => {
        if (connection === undefined) return;
        connection.close();
        this.#connections.delete(connection);
        this.#options.onGone?.(connection);
        this.#options.observer.disconnected(connection.client.nodeId, reason.type);
      },
    });
  }

  #introduce(stream: GrpcStream, mode: "sotw" | "delta", admitted: Admitted<C>, node: Uint8Array | undefined) {
    const introduced = admitted.introduce(node);
    if (introduced.type === "refused") {
      this.#refuse(stream, introduced);
      return undefined;
    }
    const { client } = introduced;
    const id = `${this.#options.idOf(client)}-${++this.#nextConnection}`;
    const connection = new Connection(id, client, mode, stream, this.#context);
    this.#connections.add(connection);
    this.#options.observer.connected(client);
    return connection;
  }

  /** The client sent what cannot be read, or we have a bug; either way only its stream ends. */
  #fail(stream: GrpcStream, node: string, thrown: unknown): void {
    const error = errorFrom(thrown);
    if (error instanceof BadMessage) {
      return this.#refuse(stream, { type: "refused", status: GrpcStatus.INVALID_ARGUMENT, message: error.message });
    }
    this.#options.observer.streamFailed(node, error);
    stream.end(GrpcStatus.INTERNAL, "internal error");
  }

  #refuse(stream: GrpcStream, { status, message }: Refusal): void {
    this.#options.observer.refused(message);
    stream.end(status, message);
  }
}
