import { append } from "../../lib/append.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";

export interface LookoutOptions<T> {
  readonly clock: Clock;
  /** Lets others have their turn; awaited between steps. */
  readonly turn: () => Promise<void>;
  /** What there is to look at: while all of it is the same, there is nothing new to see. */
  readonly subject: () => readonly unknown[];
  /** In steps. */
  readonly look: () => Iterable<readonly T[]>;
  /** Makes of all that was found what there is to say, each once. */
  readonly sum: (found: readonly T[]) => readonly T[];
  readonly appeared: (finding: T) => void;
  readonly cleared: (finding: T) => void;
  readonly onError: (error: unknown) => void;
}

const everyMs = 10_000;

/**
 * Looks for something now and then, when what it looks at is another than before: that takes a while, and no push is to
 * wait for it. Each finding is told once when it comes and once when it goes.
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

  /** As of the last look. */
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
