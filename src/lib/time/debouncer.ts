import type { Cancel, Clock } from "./clock.ts";

export interface DebouncerOptions {
  readonly clock: Clock;
  /** Time without triggers before `run` is called; 0 calls it at once. */
  readonly quietMs: number;
  /** The longest wait of a trigger while other triggers keep coming. */
  readonly maxWaitMs: number;
  readonly run: () => void | Promise<void>;
  /** Gets the errors of `run`, so that the debouncer continues. Omit it if a failing run is a bug. */
  readonly onError?: (error: unknown) => void;
}

/** The triggers that the next run covers. `dueAt` moves with every trigger, but never past `latestAt`. */
interface Window {
  readonly latestAt: number;
  readonly dueAt: number;
}

/**
 * Turns many triggers into few runs. Runs never overlap: triggers during a run open a new window. The debouncer handles
 * that window when the run ends.
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

  /** Runs an open window now, or as soon as the current run ends. Without an open window it does nothing. */
  flush(): void {
    if (this.#window === undefined) return;
    const now = this.#options.clock.now();
    this.#window = { latestAt: now, dueAt: now };
    this.#evaluate();
  }

  /** Drops the open window. Does not affect a run in progress. */
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
    // A window only becomes due later, except by flush, which runs at once. So an early timer just checks again.
    this.#timer ??= clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#evaluate();
    });
  }

  #start(): void {
    this.#close();
    this.#running = true;
    let result: undefined | void | Promise<void>;
    let report: (() => void) | undefined;
    try {
      result = this.#options.run();
    } catch (thrown) {
      report = () => this.#onError(thrown);
    }
    if (result === undefined) this.#finish(report);
    else void this.#finishAfter(result);
  }

  async #finishAfter(result: Promise<void>): Promise<void> {
    let report: (() => void) | undefined;
    try {
      await result;
    } catch (thrown) {
      report = () => this.#onError(thrown);
    }
    this.#finish(report);
  }

  #finish(report: (() => void) | undefined): void {
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
