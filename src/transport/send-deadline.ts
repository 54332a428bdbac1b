/** Watches that what was sent leaves in time. Set anew whenever something has left and more is waiting. */
export class SendDeadline {
  readonly #timeoutMs: number;
  readonly #onMissed: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** 0 waits for ever. */
  constructor(timeoutMs: number, onMissed: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onMissed = onMissed;
  }

  /** Something was sent. While something else is still waiting, its deadline stands. */
  sent(): void {
    if (this.#timer === undefined) this.#set();
  }

  /** Something has left. */
  left({ more }: { readonly more: boolean }): void {
    this.clear();
    if (more) this.#set();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #set(): void {
    if (this.#timeoutMs > 0) this.#timer = setTimeout(this.#onMissed, this.#timeoutMs).unref();
  }
}
