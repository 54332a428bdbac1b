export interface BackoffOptions {
  readonly firstMs: number;
  /** No pause is longer, unless the other side asks for it. */
  readonly lastMs: number;
  /** Each pause to the one before; 2 unless said otherwise. */
  readonly factor?: number;
  /** Where many may fail together, so that they do not come back together. */
  readonly jitter?: Jitter;
}

interface Jitter {
  /** The part of a pause by which chance makes it longer or shorter. */
  readonly share: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** How long to wait before the next attempt: longer each time, until something works. */
export class Backoff {
  readonly #options: BackoffOptions;
  #ms: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#ms = options.firstMs;
  }

  /** Never less than the other side asks for. */
  next(atLeastMs = 0): number {
    const { lastMs, factor = 2, jitter } = this.#options;
    const ms = Math.min(this.#ms, lastMs);
    this.#ms = ms * factor;
    if (jitter === undefined) return Math.max(ms, atLeastMs);
    const chance = jitter.random();
    const spread = ms * (1 - jitter.share + 2 * jitter.share * chance);
    return Math.round(Math.max(spread, atLeastMs * (1 + jitter.share * chance)));
  }

  /** Something worked: the next failure is a first one. */
  reset(): void {
    this.#ms = this.#options.firstMs;
  }
}
