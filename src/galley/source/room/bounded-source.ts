import type { Source, SourceHandler } from "../source.ts";
import { BoundedSession, type BoundedSourceOptions } from "./bounded-session.ts";

/**
 * A source that takes in only the objects that fit into memory. It is stale while objects are left out, and says how
 * many. When there is room again, it is read again.
 */
export class BoundedSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #source: Source;
  readonly #options: BoundedSourceOptions;
  #session: BoundedSession | undefined;

  constructor(source: Source, options: BoundedSourceOptions) {
    this.name = source.name;
    this.collections = source.collections;
    this.#source = source;
    this.#options = options;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#session ??= new BoundedSession(this.#source, this.#options, handler);
    return this.#session.started;
  }

  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
    await this.#source.stop();
    this.#options.ledger.close();
  }

  async reload(): Promise<void> {
    await this.#source.reload?.();
  }

  async idle(): Promise<void> {
    await this.#session?.retried;
    await this.#source.idle();
  }
}
