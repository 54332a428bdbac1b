import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import type { Clock } from "../../lib/time/clock.ts";
import type { ReviewToken, TokenReviewStatus } from "./token-review.ts";

/** How long an answer is believed: a token that was withdrawn opens no stream after that. */
const knownMs = 30_000;

/** Shorter: the service account may just have been made. */
const unknownMs = 5_000;

/** Every stream of a proxy shows the same token, so there are about as many as proxies. */
const defaultLimit = 10_000;

export interface TokenReviewCacheOptions {
  readonly review: ReviewToken;
  readonly clock: Clock;
  /** The time of day, in milliseconds since the epoch: tokens say when they end by it. */
  readonly now: () => number;
  readonly limit?: number;
}

interface Remembered {
  readonly status: Promise<TokenReviewStatus>;
  /** By the clock; without an end while nobody has answered. */
  until: number;
}

/**
 * Asks once for a token that many show, or that is shown many times in a short while. Tokens are kept as hashes: whoever
 * reads our memory finds none. That nobody could be asked is not remembered.
 */
export function rememberedReviews(options: TokenReviewCacheOptions): ReviewToken {
  const { review, clock, limit = defaultLimit } = options;
  /** The longest remembered first. */
  const answers = new Map<string, Remembered>();
  const settle = async (key: string, token: string, asked: Remembered) => {
    try {
      const status = await asked.status;
      asked.until = clock.now() + lifetimeMs(token, status, options.now());
    } catch {
      if (answers.get(key) === asked) answers.delete(key);
    }
  };
  return (token, audiences) => {
    const key = createHash("sha256")
      .update(JSON.stringify([token, audiences]))
      .digest("base64");
    const known = answers.get(key);
    if (known !== undefined && clock.now() < known.until) return known.status;
    const asked: Remembered = { status: review(token, audiences), until: Number.POSITIVE_INFINITY };
    answers.delete(key);
    answers.set(key, asked);
    if (answers.size > limit) for (const oldest of answers.keys().take(1)) answers.delete(oldest);
    void settle(key, token, asked);
    return asked.status;
  };
}

function lifetimeMs(token: string, { authenticated = false }: TokenReviewStatus, now: number): number {
  return authenticated ? Math.min(knownMs, expiryOf(token) - now) : unknownMs;
}

/** The token was found good, so what it says of itself can be believed. Other tokens than JWTs say nothing. */
function expiryOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? Number.POSITIVE_INFINITY) * 1000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
