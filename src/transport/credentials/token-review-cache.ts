import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import type { Clock } from "../../lib/time/clock.ts";
import type { ReviewToken, TokenReviewStatus } from "./token-review-authenticator.ts";

/** How long a positive answer is cached. A withdrawn token opens no stream after that. */
const knownMs = 30_000;

/** Shorter for a negative answer, because the service account may be new. */
const unknownMs = 5_000;

/** Every stream of a proxy has the same token, so there are about as many tokens as proxies. */
const defaultLimit = 10_000;

export interface TokenReviewCacheOptions {
  readonly review: ReviewToken;
  readonly clock: Clock;
  /** Wall-clock time in milliseconds since the epoch. The expiry of tokens uses it. */
  readonly now: () => number;
  readonly limit?: number;
}

interface Remembered {
  readonly status: Promise<TokenReviewStatus>;
  /** Expiry by the clock. Infinite while the review is running. */
  until: number;
}

/**
 * Reviews a token once, even if many streams present it within a short time. The cache keys are hashes, so that memory
 * holds no tokens. Failed reviews are not cached.
 */
export function rememberedReviews(options: TokenReviewCacheOptions): ReviewToken {
  const { review, clock, limit = defaultLimit } = options;
  /** The oldest entry first. */
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

/** The token was accepted, so its claims can be trusted. A token that is no JWT has no expiry claim. */
function expiryOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? Number.POSITIVE_INFINITY) * 1000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
