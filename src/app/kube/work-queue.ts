import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";

export interface WorkQueueOptions {
  readonly clock: SupervisedClock;
  /** Processes a key. After a rejection, the queue calls it again later. */
  readonly work: (key: string) => Promise<void>;
  readonly onFailure: (key: string, error: unknown) => void;
  /** Minimum time between two starts, because other clients need the API server too. */
  readonly paceMs: number;
}

const pauses = { firstMs: 1_000, lastMs: 5 * 60_000 };

/**
 * Processes keys one after the other. The work for a key is decided when its turn comes, so a waiting key that is added
 * again is processed once. A failed key waits longer after each failure, even if it is added again.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  /** The backoffs of failed keys. */
  readonly #backoffs = new Map<string, Backoff>();
  readonly #retries = new Map<string, Cancel>();
  #running: Promise<void> | undefined;
  #mayBeginAt = 0;
  #cancelPause: Cancel = () => undefined;
  #stopped = true;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopped = false;
    this.#next();
  }

  /** Drops waiting keys, and resolves when no work is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#cancelPause();
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
    this.#backoffs.clear();
    await this.#running;
  }

  add(key: string): void {
    if (this.#retries.has(key)) return;
    this.#waiting.add(key);
    this.#next();
  }

  #next(): void {
    const { clock, paceMs } = this.#options;
    if (this.#stopped || this.#running !== undefined || this.#waiting.size === 0) return;
    const pauseMs = this.#mayBeginAt - clock.now();
    this.#cancelPause();
    if (pauseMs > 0) {
      this.#cancelPause = clock.after(pauseMs, () => this.#next());
      return;
    }
    this.#mayBeginAt = clock.now() + paceMs;
    for (const key of this.#waiting.keys().take(1)) {
      this.#waiting.delete(key);
      this.#running = this.#do(key);
    }
  }

  async #do(key: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#backoffs.delete(key);
    } catch (thrown) {
      this.#options.onFailure(key, thrown);
      if (!this.#stopped) this.#retryLater(key);
    } finally {
      this.#running = undefined;
      this.#next();
    }
  }

  #retryLater(key: string): void {
    this.#waiting.delete(key);
    const backoff = this.#backoffs.get(key) ?? new Backoff(pauses);
    this.#backoffs.set(key, backoff);
    const again = () => {
      this.#retries.delete(key);
      this.add(key);
    };
    this.#retries.set(key, this.#options.clock.after(backoff.next(), again));
  }
}
