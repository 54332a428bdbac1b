import type { Source, SourceHandler } from "./source.ts";

/** Lives from one start of a source to its stop. Reports nothing after `close`. */
export interface SourceSession {
  /** Resolves or returns when all work has ended. */
  close(): void | Promise<void>;
  /** Absent if no change can be missed. */
  reload?(): Promise<void>;
  idle(): Promise<void>;
}

export interface SessionSourceOptions {
  readonly name: string;
  readonly collections: readonly string[];
  /** Begins a session. Throws if the source cannot exist at all. */
  readonly open: (handler: SourceHandler) => SourceSession;
}

/** A source with one session per start. The start does not wait: an unreachable origin is retried until it answers. */
export class SessionSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #open: SessionSourceOptions["open"];
  #session: SourceSession | undefined;

  constructor({ name, collections, open }: SessionSourceOptions) {
    this.name = name;
    this.collections = collections;
    this.#open = open;
  }

  async start(handler: SourceHandler): Promise<void> {
    this.#session ??= this.#open(handler);
  }

  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async reload(): Promise<void> {
    await this.#session?.reload?.();
  }

  async idle(): Promise<void> {
    await this.#session?.idle();
  }
}
