import type { Source, SourceHandler } from "./source.ts";

/** From one start of a source to its stop. Nothing is said once it was told to close. */
export interface SourceSession {
  /** Resolves, or returns, when it is quiet. */
  close(): void | Promise<void>;
  /** Absent where no change can be missed. */
  reload?(): Promise<void>;
  idle(): Promise<void>;
}

export interface SessionSourceOptions {
  readonly name: string;
  readonly collections: readonly string[];
  /** Begins a session. Throws where the source cannot exist at all. */
  readonly open: (handler: SourceHandler) => SourceSession;
}

/** A source with a session for each start, which waits for nobody: what cannot be reached is tried until it can. */
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
