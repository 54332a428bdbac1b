import type { GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { Source, SourceHandler } from "../source.ts";
import { filledBy } from "./received-collections.ts";

/** The way to a server. */
export interface Line {
  /** Rejects with `bad-option` when it can never be dialled. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** One more stream; whatever keeps it from living is told to its handler. */
  open(): GrpcStream;
}

/** From a start to its stop: streams one after the other. */
interface Session {
  dial(): void;
  /** Does not wait any longer for the next attempt. */
  hurry(): void;
  close(): void;
}

export interface RemoteSourceOptions<S extends Session> {
  readonly name: string;
  /** What has to be there before the session begins. */
  readonly line: Pick<Line, "start" | "stop">;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  readonly newSession: (handler: SourceHandler) => S;
}

/** Configuration of a server somewhere else. What is said, and how it is asked for, is the session's. */
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

  /** For those who look: undefined while it is stopped. */
  get session(): S | undefined {
    return this.#session;
  }

  start(handler: SourceHandler): Promise<void> {
    if (this.#session !== undefined) return this.#started;
    const session = this.#options.newSession(handler);
    this.#session = session;
    this.#started = this.#options.line.start().then(
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
    await this.#options.line.stop();
  }

  reload(): Promise<void> {
    this.#session?.hurry();
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }
}
