import { MeshError } from "../../lib/errors.ts";
import type { ReviewToken } from "./token-review-authenticator.ts";

export interface ReviewLimits {
  /** The limit of concurrent reviews. */
  readonly atOnce: number;
  /** The limit of waiting reviews. Further reviews are refused, and the client may retry. */
  readonly waiting: number;
}

/** After an outage all proxies reconnect at once. The limit is fast enough and does not overload an API server. */
const defaultLimits: ReviewLimits = { atOnce: 20, waiting: 2_000 };

/** Limits concurrent reviews to protect the API server. Waiting reviews run in order of arrival. */
export function limitedReviews(review: ReviewToken, { atOnce, waiting }: ReviewLimits = defaultLimits): ReviewToken {
  const queue: (() => void)[] = [];
  let underWay = 0;
  const turn = async () => {
    if (underWay < atOnce) {
      underWay += 1;
      return;
    }
    if (queue.length >= waiting) throw new MeshError("unavailable", "too many tokens are waiting for their review");
    // A finished review hands its slot to the next one.
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
