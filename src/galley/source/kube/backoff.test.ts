import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

function pauses(random: number, count: number): readonly number[] {
  const backoff = new Backoff({ firstMs: 100, lastMs: 1000, random: () => random });
  return Array.from({ length: count }, () => backoff.next());
}

test("pauses grow up to a limit, and chance makes them shorter", () => {
  expect(pauses(1, 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(pauses(0, 6)).toEqual([50, 100, 200, 400, 500, 500]);
});

test("a pause is never shorter than the server asks for, and not the same for all", () => {
  const asked = [0, 1].map((random) => new Backoff({ firstMs: 100, lastMs: 1000, random: () => random }).next(5000));
  expect(asked).toEqual([5000, 5500]);
});

test("what worked makes the next failure a first one", () => {
  const backoff = new Backoff({ firstMs: 100, lastMs: 1000, random: () => 1 });
  backoff.next();
  backoff.next();
  backoff.reset();
  expect(backoff.next()).toBe(100);
});
