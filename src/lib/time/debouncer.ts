import type { Cancel, Clock } from "./clock.ts";

export interface Waits {
  /** Time without triggers before `run` is called; 0 calls it at once. */
  readonly quietMs: number;
  /** The longest wait of a trigger while other triggers keep coming. */
  readonly maxWaitMs: number;
}

export interface DebouncerOptions extends Waits {
  readonly clock: Clock;
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
  /** The timer of the window, and its time. */
  #timer: { readonly cancel: Cancel; readonly dueAt: number } | undefined;
  #running = false;
  #quiet: PromiseWithResolvers<void> | undefined;

  constructor(options: DebouncerOptions) {
    this.#options = options;
    this.#onError = options.onError ?? rethrow;
  }

  /** `waits` replaces the waits of the options for this trigger. It never lengthens those of earlier triggers. */
  trigger({ quietMs, maxWaitMs }: Waits = this.#options): void {
    const now = this.#options.clock.now();
    const latestAt = Math.min(this.#window?.latestAt ?? Number.POSITIVE_INFINITY, now + maxWaitMs);
    this.#window = { latestAt, dueAt: Math.min(now + quietMs, latestAt) };
    this.#evaluate();
  }

  /** Opens a window like a trigger, but does not move the time of an open one. */
  join(waits: Waits = this.#options): void {
    if (this.#window === undefined) this.trigger(waits);
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
    // A window mostly becomes due later. So an early timer just checks again.
    if (this.#timer !== undefined && this.#timer.dueAt <= this.#window.dueAt) return;
    this.#timer?.cancel();
    const cancel = clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#evaluate();
    });
    this.#timer = { cancel, dueAt: this.#window.dueAt };
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
    this.#timer?.cancel();
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
