/**
 * `npm test`: all tiers in order (`vitest.config.ts`), then the time of each, what was skipped, and the closing line.
 * Arguments go to vitest: `npm test -- src/lib`. `BINNACLE_SEED=N` repeats a run with the same random choices.
 */
import { randomInt } from "node:crypto";
import { parseCLI, startVitest } from "vitest/node";
import { TierReporter } from "../test/reporter.ts";

/** Titles of tests that may be skipped in CI, each with its reason beside it. */
const allowedSkips: ReadonlySet<string> = new Set([]);

const seed = process.env["BINNACLE_SEED"] ?? String(randomInt(2 ** 31));
process.env["BINNACLE_SEED"] = seed;
print(`seed ${seed}`);

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)]);
const reporter = new TierReporter();
const vitest = await startVitest(filter, { ...options, watch: false, reporters: ["default", reporter] });
await vitest.close();

const forbidden = process.env["CI"] === "true" ? reporter.skipped.filter(({ test }) => !allowedSkips.has(test)) : [];
const nothingRan = reporter.passed + reporter.failed === 0;
if (reporter.failed > 0 || nothingRan || forbidden.length > 0) process.exitCode = 1;

for (const line of reporter.lines()) print(line);
if (forbidden.length > 0) print(`in CI no test may be skipped: ${forbidden.length} are`);
if (nothingRan) print("no test ran");
print(`seed ${seed} (BINNACLE_SEED=${seed} npm test)`);
print(reporter.closingLine());

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
