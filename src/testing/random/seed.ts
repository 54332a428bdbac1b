import { assert } from "../../lib/assert.ts";

/** The seed of every random choice in a test file. Pass it to `fc.assert(property, { seed })`. */
export const seed = seedFrom(process.env["BINNACLE_SEED"]);

process.stderr.write(`seed ${seed} (BINNACLE_SEED=${seed} repeats this run)\n`);

/**
 * The seed for tests that search for unknown bugs in a foreign program. The usual seed of `npm test` repeats a run that
 * passed. With `npm run fuzz`, or with a seed of the caller, the tests search further.
 */
export function steadySeed(usual: number): number {
  const { BINNACLE_FUZZ: fuzz, BINNACLE_SEED: given, BINNACLE_SEED_IS_RANDOM: isRandom } = process.env;
  const looksFurther = fuzz !== undefined || (given !== undefined && isRandom === undefined);
  return looksFurther ? seed : usual;
}

/** The number of random cases of a property: few in `npm test`, many times more in `npm run fuzz`. */
export function runs(count: number): number {
  return count * Number(process.env["BINNACLE_FUZZ"] ?? 1);
}

/** The given seed, or a random one. */
export function seedFrom(given: string | undefined): number {
  if (given === undefined || given === "") return Math.floor(Math.random() * 2 ** 31);
  const parsed = Number(given);
  assert(Number.isInteger(parsed), `BINNACLE_SEED is an integer, not "${given}"`);
  return parsed;
}
