import { append } from "../../lib/append.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";

export interface LookoutOptions<T> {
  readonly clock: SupervisedClock;
  /** Yields to other work; awaited between steps. */
  readonly turn: () => Promise<void>;
  /** The inputs of the search. While they are unchanged, the search does not run again. */
  readonly subject: () => readonly unknown[];
  /** Searches in steps. */
  readonly look: () => Iterable<readonly T[]>;
  /** Merges the results of all steps into distinct findings. */
  readonly sum: (found: readonly T[]) => readonly T[];
  readonly appeared: (finding: T) => void;
  readonly cleared: (finding: T) => void;
  readonly onError: (error: unknown) => void;
}

const everyMs = 10_000;

/**
 * Searches periodically, if its inputs have changed. A search takes a while, so it runs beside pushes and never delays
 * them. Reports each finding once when it appears and once when it disappears.
 */
export class Lookout<T> {
  readonly #options: LookoutOptions<T>;
  #known: ReadonlyMap<string, T> = new Map();
  #subject: readonly unknown[] = [];
  #cancel: Cancel | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: LookoutOptions<T>) {
    this.#options = options;
  }

  /** The findings of the last search. */
  get findings(): readonly T[] {
    return [...this.#known.values()];
  }

  start(): void {
    this.#cancel = this.#options.clock.after(everyMs, () => {
      this.#looking = this.#lookAndGoOn();
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#looking;
  }

  async look(): Promise<void> {
    const { subject, look, sum, turn } = this.#options;
    const now = subject();
    if (now.length === this.#subject.length && now.every((part, index) => part === this.#subject[index])) return;
    const found: T[] = [];
    for (const step of look()) {
      append(found, step);
      await turn();
    }
    this.#subject = now;
    this.#tell(new Map(sum(found).map((finding) => [JSON.stringify(finding), finding])));
  }

  async #lookAndGoOn(): Promise<void> {
    try {
      await this.look();
    } catch (thrown) {
      this.#options.onError(thrown);
    }
    if (this.#cancel !== undefined) this.start();
  }

  #tell(now: ReadonlyMap<string, T>): void {
    const { appeared, cleared } = this.#options;
    const before = this.#known;
    this.#known = now;
    for (const [id, finding] of now) if (!before.has(id)) appeared(finding);
    for (const [id, finding] of before) if (!now.has(id)) cleared(finding);
  }
}
