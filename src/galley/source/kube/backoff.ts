export interface BackoffOptions {
  readonly firstMs: number;
  readonly lastMs: number;
  /** From 0 to 1: many that fail together should not come back together. */
  readonly random: () => number;
}

/** How long to wait before the next attempt: longer each time, and never less than the other side asks for. */
export class Backoff {
  readonly #options: BackoffOptions;
  #ms: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#ms = options.firstMs;
  }

  next(atLeastMs = 0): number {
    const { lastMs, random } = this.#options;
    const ms = this.#ms * (0.5 + random() / 2);
    this.#ms = Math.min(this.#ms * 2, lastMs);
    return Math.max(ms, atLeastMs * (1 + random() / 10));
  }

  /** Something worked: the next failure is a first one. */
  reset(): void {
    this.#ms = this.#options.firstMs;
  }
}
