import type { Cancel, Clock } from "../lib/time/clock.ts";

/**
 * Checks that a reader makes progress. The deadline restarts whenever bytes have left. A slow reader may take any time
 * for a large message. A reader that reads nothing misses the deadline.
 */
export class SendDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onMissed: () => void;
  #cancel: Cancel | undefined;
  #stopped = false;

  /** 0 disables the deadline. */
  constructor(clock: Clock, timeoutMs: number, onMissed: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onMissed = onMissed;
  }

  /** A message was sent. If older bytes still wait, their deadline stays. */
  sent(): void {
    if (this.#cancel === undefined) this.#set();
  }

  /** Bytes have left. */
  left({ more }: { readonly more: boolean }): void {
    this.#clear();
    if (more) this.#set();
  }

  /** Stops the deadline. */
  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #set(): void {
    if (this.#timeoutMs === 0 || this.#stopped) return;
    this.#cancel = this.#clock.after(this.#timeoutMs, this.#onMissed);
  }

  #clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
