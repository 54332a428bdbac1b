import { afterEach, expect, test, vi } from "vitest";
import { seed, seedFrom, steadySeed } from "./seed.ts";

afterEach(() => vi.unstubAllEnvs());

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

test.each([
  ["npm test", { BINNACLE_SEED: "5", BINNACLE_SEED_IS_RANDOM: "1" }, 7],
  ["vitest alone", {}, 7],
  ["a seed of the caller", { BINNACLE_SEED: "5" }, seed],
  ["npm run fuzz", { BINNACLE_SEED: "5", BINNACLE_SEED_IS_RANDOM: "1", BINNACLE_FUZZ: "100" }, seed],
])("%s searches foreign programs with the right seed", (_, given: Readonly<Record<string, string>>, expected) => {
  for (const name of ["BINNACLE_SEED", "BINNACLE_SEED_IS_RANDOM", "BINNACLE_FUZZ"]) vi.stubEnv(name, given[name]);
  expect(steadySeed(7)).toBe(expected);
});
