import type { Clock } from "../../lib/time/clock.ts";

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** How many a second are earned back. */
  readonly perSecond: number;
  /** How many may come at once. */
  readonly burst: number;
}

interface Bucket {
  /** Below 0 when some wait already. */
  tokens: number;
  at: number;
}

/** How often an identity may subscribe, on all its streams together. */
export class RequestBudget {
  readonly #options: RequestBudgetOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
  }

  /** How many identities are remembered: those that have not earned all back. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one, and says how long to wait for it: 0 while there are some. */
  takeOne(identity: string): number {
    const { clock, perSecond, burst } = this.#options;
    const now = clock.now();
    const bucket = this.#buckets.get(identity) ?? { tokens: burst, at: now };
    bucket.tokens = this.#earned(bucket, now) - 1;
    bucket.at = now;
    this.#buckets.set(identity, bucket);
    return bucket.tokens >= 0 ? 0 : Math.ceil((-bucket.tokens / perSecond) * 1000);
  }

  /** Forgets whoever could take a whole burst again, as a stranger could. */
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
