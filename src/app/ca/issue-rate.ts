import { caLimits } from "../../ca/ca-limits.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";

interface Bucket {
  /** Certificates that the identity may still get at once. */
  left: number;
  /** When `left` was counted. */
  at: number;
}

/** Limits how many certificates each identity gets. Identities that asked for none lately take no memory. */
export class IssueRate {
  readonly #buckets = new Map<string, Bucket>();
  readonly #burst: number;
  readonly #perMs: number;

  constructor({ burst, perSecond }: Limits<typeof caLimits> = limitsOf(caLimits)) {
    this.#burst = burst;
    this.#perMs = perSecond / 1_000;
  }

  /** The number of identities that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Counts one certificate. Returns 0 if it is allowed, otherwise the milliseconds until the next one is. */
  take(identity: string, now: number): number {
    const { left, at } = this.#buckets.get(identity) ?? { left: this.#burst, at: now };
    const filled = Math.min(this.#burst, left + (now - at) * this.#perMs);
    if (filled < 1) return Math.ceil((1 - filled) / this.#perMs);
    this.#buckets.delete(identity);
    this.#buckets.set(identity, { left: filled - 1, at: now });
    this.#forgetOldest(now);
    return 0;
  }

  /** The identities that asked longest ago come first. Their buckets are full again, like those of unknown identities. */
  #forgetOldest(now: number): void {
    for (const [identity, { at }] of this.#buckets) {
      if ((now - at) * this.#perMs < this.#burst) return;
      this.#buckets.delete(identity);
    }
  }
}
