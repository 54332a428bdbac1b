import type { GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { Source, SourceHandler } from "../source.ts";
import { filledBy } from "./received-collections.ts";

/** The connection to a server. */
export interface ServerConnection {
  /** Rejects with `bad-option` if the address can never be dialled. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Opens one more stream. The stream's handler receives every failure. */
  open(): GrpcStream;
}

/** Lives from a start to its stop, with one stream after the other. */
interface Session {
  dial(): void;
  /** Retries now instead of waiting for the next attempt. */
  hurry(): void;
  close(): void;
}

export interface RemoteSourceOptions<S extends Session> {
  readonly name: string;
  /** The connection that must start before the session. */
  readonly connection: Pick<ServerConnection, "start" | "stop">;
  /** The collections to subscribe to. */
  readonly collections: readonly McpCollection[];
  readonly newSession: (handler: SourceHandler) => S;
}

/** Configuration of a remote server. The session decides what to request and what to report. */
export class RemoteSource<S extends Session> implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #options: RemoteSourceOptions<S>;
  #session: S | undefined;
  #started = Promise.resolve();

  constructor(options: RemoteSourceOptions<S>) {
    this.name = options.name;
    this.collections = options.collections.map(filledBy);
    this.#options = options;
  }

  /** For status pages. Undefined while the source is stopped. */
  get session(): S | undefined {
    return this.#session;
  }

  start(handler: SourceHandler): Promise<void> {
    if (this.#session !== undefined) return this.#started;
    const session = this.#options.newSession(handler);
    this.#session = session;
    this.#started = this.#options.connection.start().then(
      () => session.dial(),
      (thrown: unknown) => {
        if (this.#session === session) this.#session = undefined;
        throw thrown;
      },
    );
    return this.#started;
  }

  async stop(): Promise<void> {
    this.#session?.close();
    this.#session = undefined;
    await this.#started.catch(() => undefined);
    await this.#options.connection.stop();
  }

  reload(): Promise<void> {
    this.#session?.hurry();
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }
}
