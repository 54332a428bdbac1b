/**
 * `npm run fuzz [FACTOR] [FILE…]`: runs all property tests, or the given files, with many times their usual number of
 * cases. Default of FACTOR: 100. All use one seed, which is printed and can be set with BINNACLE_SEED. The number of
 * cases is the only bound.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

const [given = "100", ...chosen] = process.argv.slice(2);
const factor = Number(given);
if (!Number.isInteger(factor) || factor < 1)
  throw new Error(`expected how many times the usual cases, found ${factor}`);

/** Tests that take their number of cases from `runs` (`src/testing/random/seed.ts`). */
const properties = globSync("{src,test}/**/*.test.ts").filter((file) => /\bruns\(/u.test(readFileSync(file, "utf8")));
const files = chosen.length > 0 ? chosen : properties;
const env = { ...process.env, BINNACLE_FUZZ: String(factor) };
const result = spawnSync("vitest", ["run", "--testTimeout", "3600000", ...files], { stdio: "inherit", env });
process.exitCode = result.status ?? 1;
