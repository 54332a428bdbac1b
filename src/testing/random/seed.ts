import { assert } from "../../lib/assert.ts";

/** The seed of every random choice in a test file. Pass it to `fc.assert(property, { seed })`. */
export const seed = seedFrom(process.env["BINNACLE_SEED"]);

process.stderr.write(`seed ${seed} (BINNACLE_SEED=${seed} repeats this run)\n`);

/**
 * For tests that look for what nobody has found yet in a foreign program: `npm test` repeats a run that went well, and
 * `npm run fuzz`, or a seed that is given, looks further.
 */
export function steadySeed(usual: number): number {
  const looksFurther = process.env["BINNACLE_FUZZ"] ?? process.env["BINNACLE_SEED"];
  return looksFurther === undefined ? usual : seed;
}

/** How many random cases a property gets: a few in `npm test`, many times that in `npm run fuzz`. */
export function runs(count: number): number {
  return count * Number(process.env["BINNACLE_FUZZ"] ?? 1);
}

/** The given seed, or a random one when there is none. */
export function seedFrom(given: string | undefined): number {
  if (given === undefined || given === "") return Math.floor(Math.random() * 2 ** 31);
  const parsed = Number(given);
  assert(Number.isInteger(parsed), `BINNACLE_SEED is an integer, not "${given}"`);
  return parsed;
}
