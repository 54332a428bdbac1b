import type { Clock } from "./clock.ts";

/** Pauses that end early when `end` is called or the signal aborts. */
export class Pauses {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  async wait(ms: number): Promise<void> {
    if (ms <= 0 || this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    this.#signal.addEventListener("abort", wake);
    const cancel = this.#clock.after(ms, wake);
    await promise;
    cancel();
    this.#signal.removeEventListener("abort", wake);
    this.#waiting.delete(wake);
  }

  /** Ends all current pauses. */
  end(): void {
    for (const wake of this.#waiting) wake();
  }
}
