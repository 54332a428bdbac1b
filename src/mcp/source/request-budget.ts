import type { Clock } from "../../lib/time/clock.ts";

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** The refill rate of the budget per second. */
  readonly perSecond: number;
  /** The size of a burst. */
  readonly burst: number;
}

interface Bucket {
  /** Negative while requests wait. */
  tokens: number;
  at: number;
}

/** Limits the subscriptions of an identity, over all its streams. */
export class RequestBudget {
  readonly #options: RequestBudgetOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
  }

  /** The number of remembered identities: those with a partly used budget. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one token and returns the waiting time. 0 while tokens are left. */
  takeOne(identity: string): number {
    const { clock, perSecond, burst } = this.#options;
    const now = clock.now();
    const bucket = this.#buckets.get(identity) ?? { tokens: burst, at: now };
    bucket.tokens = this.#earned(bucket, now) - 1;
    bucket.at = now;
    this.#buckets.set(identity, bucket);
    return bucket.tokens >= 0 ? 0 : Math.ceil((-bucket.tokens / perSecond) * 1000);
  }

  /** Forgets identities with a full budget, because they equal unknown ones. */
  sweep(): void {
    const now = this.#options.clock.now();
    for (const [identity, bucket] of this.#buckets) {
      if (this.#earned(bucket, now) >= this.#options.burst) this.#buckets.delete(identity);
    }
  }

  #earned({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.#options.burst, tokens + ((now - at) / 1000) * this.#options.perSecond);
  }
}
