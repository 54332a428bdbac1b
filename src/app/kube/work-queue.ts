import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Does what there is to do about a key. When it rejects, it is called again after a while. */
  readonly work: (key: string) => Promise<void>;
  readonly onFailure: (key: string, error: unknown) => void;
  /** The shortest time from one beginning to the next: others need the API server, too. */
  readonly paceMs: number;
}

const pauses = { firstMs: 1_000, lastMs: 5 * 60_000 };

/**
 * Keys that something is to be done about, each of them once, one after the other. What to do is found out when its
 * turn comes, so a key that is added again while it waits is not done twice. One that failed waits longer each time,
 * whoever adds it meanwhile.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  /** Of keys that have failed. */
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

  /** Forgets what waits, and resolves when nothing is being done. */
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
