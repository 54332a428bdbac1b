import { append } from "../../lib/append.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";

export interface PeriodicSearchOptions<T> {
  readonly clock: SupervisedClock;
  /** Yields to other work; awaited between steps. */
  readonly turn: () => Promise<void>;
  /** The inputs of the search. While they are unchanged, the search does not run again. */
  readonly subject: () => readonly unknown[];
  /** Searches in steps. */
  readonly search: () => Iterable<readonly T[]>;
  /** Merges the results of all steps into distinct findings. */
  readonly sum: (found: readonly T[]) => readonly T[];
  readonly appeared: (finding: T) => void;
  readonly cleared: (finding: T) => void;
  readonly onError: (error: unknown) => void;
}

const everyMs = 10_000;

/**
 * Searches periodically, if its inputs have changed. A search takes a while, so it runs between pushes and never delays
 * them. Reports each finding once when it appears and once when it disappears.
 */
export class PeriodicSearch<T> {
  readonly #options: PeriodicSearchOptions<T>;
  #known: ReadonlyMap<string, T> = new Map();
  #subject: readonly unknown[] = [];
  #cancel: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: PeriodicSearchOptions<T>) {
    this.#options = options;
  }

  /** The findings of the last search. */
  get findings(): readonly T[] {
    return [...this.#known.values()];
  }

  start(): void {
    this.#cancel = this.#options.clock.after(everyMs, () => {
      this.#running = this.#searchAndRepeat();
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#running;
  }

  async search(): Promise<void> {
    const { subject, search, sum, turn } = this.#options;
    const now = subject();
    if (now.length === this.#subject.length && now.every((part, index) => part === this.#subject[index])) return;
    const found: T[] = [];
    for (const step of search()) {
      append(found, step);
      await turn();
    }
    this.#subject = now;
    this.#report(new Map(sum(found).map((finding) => [JSON.stringify(finding), finding])));
  }

  async #searchAndRepeat(): Promise<void> {
    try {
      await this.search();
    } catch (thrown) {
      this.#options.onError(thrown);
    }
    if (this.#cancel !== undefined) this.start();
  }

  #report(now: ReadonlyMap<string, T>): void {
    const { appeared, cleared } = this.#options;
    const before = this.#known;
    this.#known = now;
    for (const [id, finding] of now) if (!before.has(id)) appeared(finding);
    for (const [id, finding] of before) if (!now.has(id)) cleared(finding);
  }
}
