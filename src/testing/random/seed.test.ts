import { expect, test } from "vitest";
import { seed, seedFrom } from "./seed.ts";

test("the seed of this run is an integer", () => {
  expect(Number.isInteger(seed)).toBe(true);
});

test("a given seed is used unchanged", () => {
  expect(seedFrom("-42")).toBe(-42);
});

test.each([undefined, ""])("without a seed (%j) a random one is valid for fast-check", (given) => {
  const random = seedFrom(given);
  expect(random | 0).toBe(random);
});

test("a seed that is no integer is refused", () => {
  expect(() => seedFrom("twelve")).toThrow('not "twelve"');
});
