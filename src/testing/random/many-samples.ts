import fc from "fast-check";
import { seed } from "./seed.ts";

const batch = 100;

/**
 * Random values for a search that stops at its first find. Values are made when the search gets to them, and kept for
 * the next one. The limit is far above what a search needs: if one value of a thousand is a find, then two of 10^9 seeds
 * have none.
 */
export class ManySamples<T> implements Iterable<T> {
  readonly #arbitrary: fc.Arbitrary<T>;
  readonly #most: number;
  readonly #made: T[] = [];

  constructor(arbitrary: fc.Arbitrary<T>, most = 20_000) {
    this.#arbitrary = arbitrary;
    this.#most = most;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.#most; index += batch) {
      if (this.#made.length === index) {
        const next = fc.sample(this.#arbitrary, { seed: seed + index, numRuns: batch });
        for (const each of next) this.#made.push(each);
      }
      yield* this.#made.slice(index, index + batch);
    }
  }
}
