/** Relative width of a bucket. */
const step = 1.05;

/** Counts durations in buckets, so that memory does not grow with their number. Quantiles are at most 5 % too high. */
export class Latencies {
  /** By the exponent of the upper end of the bucket. */
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #largest = 0;

  get count(): number {
    return this.#count;
  }

  get largest(): number {
    return this.#largest;
  }

  add(ms: number): void {
    const bucket = ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(step));
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count++;
    this.#largest = Math.max(this.#largest, ms);
  }

  /** Adds all durations of another count. */
  merge(other: Latencies): void {
    for (const [bucket, count] of other.#buckets) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
    this.#count += other.#count;
    this.#largest = Math.max(this.#largest, other.#largest);
  }

  /** The smallest bucket that this share of the durations does not exceed; 0 without durations. */
  quantile(share: number): number {
    const wanted = Math.ceil(share * this.#count);
    let seen = 0;
    for (const [bucket, count] of [...this.#buckets].toSorted(([a], [b]) => a - b)) {
      seen += count;
      if (seen >= wanted) return Math.min(step ** bucket, this.#largest);
    }
    return 0;
  }
}
