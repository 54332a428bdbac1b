import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { TokenReviewStatus } from "./token-review-authenticator.ts";
import { limitedReviews } from "./token-review-limit.ts";

function server() {
  const open = new Map<string, PromiseWithResolvers<TokenReviewStatus>>();
  const asked: string[] = [];
  const ask = limitedReviews(
    (token) => {
      asked.push(token);
      const answer = Promise.withResolvers<TokenReviewStatus>();
      open.set(token, answer);
      return answer.promise;
    },
    { atOnce: 2, waiting: 2 },
  );
  return { open, asked, review: (token: string) => ask(token, ["istio-ca"]) };
}

describe("concurrent token reviews", () => {
  test("run a few at a time, in order", async () => {
    const { open, asked, review } = server();
    const all = ["a", "b", "c", "d"].map(review);
    await settled();
    expect(asked).toEqual(["a", "b"]);
    open.get("b")?.resolve({ authenticated: true });
    await settled();
    expect(asked).toEqual(["a", "b", "c"]);
    open.get("a")?.reject(new Error("down"));
    await expect(all[0]).rejects.toThrow("down");
    expect(asked).toEqual(["a", "b", "c", "d"]);
    for (const token of ["c", "d"]) open.get(token)?.resolve({ authenticated: false });
    expect(await Promise.all(all.slice(1))).toEqual([
      { authenticated: true },
      { authenticated: false },
      { authenticated: false },
    ]);
    void review("e");
    await settled();
    expect(asked.at(-1)).toBe("e");
  });

  test("are refused when too many wait", async () => {
    const { review } = server();
    for (const token of ["a", "b", "c", "d"]) void review(token);
    await expect(review("e")).rejects.toThrow("too many tokens are waiting for their review");
  });
});
