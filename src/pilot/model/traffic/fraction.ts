/** A share of requests, from none to all. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: 100 | 1_000_000;
}
