import type { Clock } from "../../../lib/clock.ts";
import type { GrpcStream } from "../../../lib/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkObserver } from "../../../mcp/observer.ts";
import type { Source, SourceHandler } from "../source.ts";
import { McpSession } from "./mcp-session.ts";
import { filledBy } from "./received-collections.ts";

/** The way to a Galley. */
export interface Line {
  /** Rejects with `bad-option` when it can never be dialled. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** One more stream; whatever keeps it from living is told to its handler. */
  open(): GrpcStream;
}

export interface McpSourceOptions {
  readonly name: string;
  readonly line: Line;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  /** Whether differences are asked for, where only full states would do. */
  readonly incremental: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: SinkObserver;
}

/**
 * A Galley somewhere else, read over MCP. It is stale while there is no stream, or one that has not told yet what
 * changed meanwhile; all it said stays. After a restart that changed nothing it says nothing.
 */
export class McpSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #options: McpSourceOptions;
  #session: McpSession | undefined;
  #started = Promise.resolve();

  constructor(options: McpSourceOptions) {
    this.name = options.name;
    this.collections = options.collections.map(filledBy);
    this.#options = options;
  }

  /** For those who look: undefined while it is stopped. */
  get session(): McpSession | undefined {
    return this.#session;
  }

  start(handler: SourceHandler): Promise<void> {
    if (this.#session !== undefined) return this.#started;
    const session = new McpSession(this.#options, handler);
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

  /** Does not wait any longer for the next attempt. */
  reload(): Promise<void> {
    this.#session?.hurry();
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }
}
