import { MeshError } from "../../lib/errors.ts";
import type { ReviewToken } from "./token-review.ts";

export interface ReviewLimits {
  /** How many reviews are under way at a time. */
  readonly atOnce: number;
  /** How many wait for their turn; others are turned away, and may come again. */
  readonly waiting: number;
}

/** After an outage all proxies come at once: enough at a time to be quick, and no more than an API server bears. */
const defaultLimits: ReviewLimits = { atOnce: 20, waiting: 2_000 };

/** Asks no more at a time than the API server bears; whoever came first is first. */
export function limitedReviews(review: ReviewToken, { atOnce, waiting }: ReviewLimits = defaultLimits): ReviewToken {
  const queue: (() => void)[] = [];
  let underWay = 0;
  const turn = async () => {
    if (underWay < atOnce) {
      underWay += 1;
      return;
    }
    if (queue.length >= waiting) throw new MeshError("unavailable", "too many tokens are waiting for their review");
    // Whoever is done hands its place over.
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const done = () => {
    const next = queue.shift();
    if (next === undefined) underWay -= 1;
    else next();
  };
  return async (token, audiences) => {
    await turn();
    try {
      return await review(token, audiences);
    } finally {
      done();
    }
  };
}
