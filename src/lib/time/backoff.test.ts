import { expect, test } from "vitest";
import { Backoff, type BackoffOptions } from "./backoff.ts";

function pauses(count: number, options: Partial<BackoffOptions> = {}): readonly number[] {
  const backoff = new Backoff({ firstMs: 100, lastMs: 1000, ...options });
  return Array.from({ length: count }, () => backoff.next());
}

const jitter = (chance: number) => ({ share: 0.2, random: () => chance });

test("pauses grow up to a limit", () => {
  expect(pauses(6)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(pauses(4, { factor: 1.5 })).toEqual([100, 150, 225, 337.5]);
  expect(pauses(2, { firstMs: 0 })).toEqual([0, 0]);
});

test("jitter makes a pause longer or shorter, and does not accumulate", () => {
  expect(pauses(5, { jitter: jitter(0) })).toEqual([80, 160, 320, 640, 800]);
  expect(pauses(5, { jitter: jitter(1) })).toEqual([120, 240, 480, 960, 1200]);
});

test("a pause is never shorter than the other side requests, and differs between clients", () => {
  const asked = [0, 1].map((chance) => new Backoff({ firstMs: 100, lastMs: 1000, jitter: jitter(chance) }).next(5000));
  expect(asked).toEqual([5000, 6000]);
});

test("after a success the next failure starts with the first pause", () => {
  const backoff = new Backoff({ firstMs: 100, lastMs: 1000 });
  backoff.next();
  backoff.next();
  backoff.reset();
  expect(backoff.next()).toBe(100);
});
