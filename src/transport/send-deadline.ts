import type { Cancel, Clock } from "../lib/time/clock.ts";

/**
 * Watches that a reader makes progress. The deadline starts anew whenever bytes have left, so a slow reader may take as
 * long as it likes for a large message, and one that takes nothing is found out.
 */
export class SendDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onMissed: () => void;
  #cancel: Cancel | undefined;
  #stopped = false;

  /** 0 waits for ever. */
  constructor(clock: Clock, timeoutMs: number, onMissed: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onMissed = onMissed;
  }

  /** Something was sent. While something else is still waiting, its deadline stands. */
  sent(): void {
    if (this.#cancel === undefined) this.#set();
  }

  /** Bytes have left. */
  left({ more }: { readonly more: boolean }): void {
    this.#clear();
    if (more) this.#set();
  }

  /** Nobody waits any longer. */
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
