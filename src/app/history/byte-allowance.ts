export interface ByteAllowanceOptions {
  readonly bytesPerSecond: number;
  /** Saved up at most. */
  readonly most: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Bytes that may be written: so many per second, and more at once after a quiet time. It starts full. */
export class ByteAllowance {
  readonly #options: ByteAllowanceOptions;
  #left: number;
  #at: number;

  constructor(options: ByteAllowanceOptions) {
    this.#options = options;
    this.#left = options.most;
    this.#at = options.now();
  }

  get isLeft(): boolean {
    this.#refill();
    return this.#left > 0;
  }

  /** May be more than is left. */
  spend(bytes: number): void {
    this.#refill();
    this.#left -= bytes;
  }

  #refill(): void {
    const { bytesPerSecond, most, now } = this.#options;
    const at = now();
    this.#left = Math.min(most, this.#left + ((at - this.#at) * bytesPerSecond) / 1_000);
    this.#at = at;
  }
}
