import type { Cancel, Clock } from "./clock.ts";

export interface DebouncerOptions {
  readonly clock: Clock;
  /** How long nothing may be triggered before `run` is called; 0 means at once. */
  readonly quietMs: number;
  /** The longest a trigger may wait when others keep coming. */
  readonly maxWaitMs: number;
  readonly run: () => void | Promise<void>;
  /** Takes what `run` throws or rejects with; the debouncer goes on. Left out where a run that fails is a bug. */
  readonly onError?: (error: unknown) => void;
}

/** The triggers that the next run answers. `dueAt` moves with every trigger, never past `latestAt`. */
interface Window {
  readonly latestAt: number;
  readonly dueAt: number;
}

/**
 * Turns many triggers into few runs. Runs never overlap: triggers during a run open a new window, which is looked at
 * when the run ends.
 */
export class Debouncer {
  readonly #options: DebouncerOptions;
  readonly #onError: (error: unknown) => void;
  #window: Window | undefined;
  #timer: Cancel | undefined;
  #running = false;
  #quiet: PromiseWithResolvers<void> | undefined;

  constructor(options: DebouncerOptions) {
    this.#options = options;
    this.#onError = options.onError ?? rethrow;
  }

  trigger(): void {
    const { clock, quietMs, maxWaitMs } = this.#options;
    const latestAt = this.#window?.latestAt ?? clock.now() + maxWaitMs;
    this.#window = { latestAt, dueAt: Math.min(clock.now() + quietMs, latestAt) };
    this.#evaluate();
  }

  /** Answers an open window now, or as soon as the current run ends. Without an open window it does nothing. */
  flush(): void {
    if (this.#window === undefined) return;
    const now = this.#options.clock.now();
    this.#window = { latestAt: now, dueAt: now };
    this.#evaluate();
  }

  /** Forgets the open window. A run in progress is not touched. */
  cancel(): void {
    this.#close();
    this.#announceQuiet();
  }

  /** Resolves when no window is open and no run in progress. */
  idle(): Promise<void> {
    if (this.#window === undefined && !this.#running) return Promise.resolve();
    this.#quiet ??= Promise.withResolvers();
    return this.#quiet.promise;
  }

  #evaluate(): void {
    if (this.#running || this.#window === undefined) return;
    const { clock } = this.#options;
    const waitMs = this.#window.dueAt - clock.now();
    if (waitMs <= 0) {
      this.#start();
      return;
    }
    // A window only ever becomes due later (flush aside, which runs at once): a timer set earlier just looks again.
    this.#timer ??= clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#evaluate();
    });
  }

  #start(): void {
    this.#close();
    this.#running = true;
    let result: void | Promise<void>;
    try {
      result = this.#options.run();
    } catch (thrown) {
      this.#finish(() => this.#onError(thrown));
      return;
    }
    if (result === undefined) this.#finish();
    else void this.#finishAfter(result);
  }

  async #finishAfter(result: Promise<void>): Promise<void> {
    try {
      await result;
    } catch (thrown) {
      this.#finish(() => this.#onError(thrown));
      return;
    }
    this.#finish();
  }

  #finish(report?: () => void): void {
    this.#running = false;
    try {
      report?.();
    } finally {
      this.#evaluate();
      this.#announceQuiet();
    }
  }

  #close(): void {
    this.#window = undefined;
    this.#timer?.();
    this.#timer = undefined;
  }

  #announceQuiet(): void {
    if (this.#window !== undefined || this.#running) return;
    this.#quiet?.resolve();
    this.#quiet = undefined;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
