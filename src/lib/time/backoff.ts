export interface BackoffOptions {
  readonly firstMs: number;
  /** The longest pause, unless the other side requests a longer one. */
  readonly lastMs: number;
  /** Ratio of each pause to the one before. The default is 2. */
  readonly factor?: number;
  /** For clients that may fail at the same time, so that they do not retry at the same time. */
  readonly jitter?: Jitter;
}

interface Jitter {
  /** The fraction of a pause by which jitter makes it longer or shorter. */
  readonly share: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The pause before the next attempt: longer each time, until an attempt succeeds. */
export class Backoff {
  readonly #options: BackoffOptions;
  #ms: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#ms = options.firstMs;
  }

  /** The next pause, never shorter than the other side requests. */
  next(atLeastMs = 0): number {
    const { lastMs, factor = 2, jitter } = this.#options;
    const ms = Math.min(this.#ms, lastMs);
    this.#ms = ms * factor;
    if (jitter === undefined) return Math.max(ms, atLeastMs);
    const chance = jitter.random();
    const spread = ms * (1 - jitter.share + 2 * jitter.share * chance);
    return Math.round(Math.max(spread, atLeastMs * (1 + jitter.share * chance)));
  }

  /** After a success: the next failure starts with the first pause. */
  reset(): void {
    this.#ms = this.#options.firstMs;
  }
}
