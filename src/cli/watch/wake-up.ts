import type { Clock } from "../../lib/time/clock.ts";

/** Waits for a call or for a time, whichever comes first. */
export class WakeUp {
  readonly #clock: Clock;
  #isCalled = false;
  #resolve: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the wait. A call before the wait ends the next one at once. */
  call(): void {
    this.#isCalled = true;
    this.#resolve?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isCalled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const cancel = this.#clock.after(ms, resolve);
      await promise;
      cancel();
      this.#resolve = undefined;
    }
    this.#isCalled = false;
  }
}
