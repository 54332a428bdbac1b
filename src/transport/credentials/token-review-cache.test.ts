import { UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { TokenReviewStatus } from "./token-review-authenticator.ts";
import { rememberedReviews } from "./token-review-cache.ts";

const good: TokenReviewStatus = { authenticated: true, audiences: ["istio-ca"] };

function cache(answer: (token: string) => Promise<TokenReviewStatus> = async () => good, limit?: number) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const now = () => 1_000_000 + clock.now();
  const ask = rememberedReviews({
    clock,
    now,
    review: (token) => {
      asked.push(token);
      return answer(token);
    },
    ...(limit !== undefined && { limit }),
  });
  return { clock, asked, now, review: (token: string, audiences = ["istio-ca"]) => ask(token, audiences) };
}

describe("cached token reviews", () => {
  test("are requested once, also while the first request is running", async () => {
    const { asked, review } = cache();
    const first = review("a");
    expect(await Promise.all([first, review("a")])).toEqual([good, good]);
    await review("a");
    expect(asked).toEqual(["a"]);
  });

  test("are valid for 30 s", async () => {
    const { asked, clock, review } = cache();
    await review("a");
    clock.advance(29_999);
    await review("a");
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await review("a");
    expect(asked).toHaveLength(2);
  });

  test("are valid no longer than the token", async () => {
    const { asked, clock, now, review } = cache();
    const token = new UnsecuredJWT({ exp: (now() + 10_000) / 1000 }).encode();
    await review(token);
    clock.advance(9_999);
    await review(token);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await review(token);
    expect(asked).toHaveLength(2);
  });

  test("with a refusal expire sooner", async () => {
    const { asked, clock, review } = cache(async () => ({ authenticated: false }));
    await review("a");
    clock.advance(4_999);
    await review("a");
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await review("a");
    expect(asked).toHaveLength(2);
  });

  test("with an error are requested again at once", async () => {
    const failures = [new Error("down")];
    const { asked, review } = cache(async () => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      return good;
    });
    await expect(review("a")).rejects.toThrow("down");
    expect(await review("a")).toEqual(good);
    expect(asked).toHaveLength(2);
  });

  test("are separate per audience", async () => {
    const { asked, review } = cache();
    await review("a", ["one"]);
    await review("a", ["two"]);
    expect(asked).toHaveLength(2);
  });

  test("are evicted above the limit, the oldest first", async () => {
    const { asked, review } = cache(async () => good, 2);
    for (const token of ["a", "b", "c", "c", "b", "a"]) await review(token);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });
});
