/** A share of requests, of none to all of them. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: 100 | 1_000_000;
}
