import { amountDifferences } from "./known/amounts.ts";
import { combinationDifferences } from "./known/combinations.ts";
import { headerDifferences } from "./known/headers.ts";
import type { KnownDifference } from "./known/known-difference.ts";
import { textDifferences } from "./known/texts.ts";

/** Every known difference between our verdict and that of `istioctl validate`, with its reason. */
export const knownDifferences: readonly KnownDifference[] = [
  ...headerDifferences,
  ...textDifferences,
  ...amountDifferences,
  ...combinationDifferences,
];
