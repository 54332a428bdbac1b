/**
 * `npm test`: all tiers in order (`vitest.config.ts`), then the time of each, what was skipped, and the closing line.
 * Arguments go to vitest: `npm test -- src/lib`. `BINNACLE_SEED=N` repeats a run with the same random choices.
 *
 * Real peers that are not cached yet are fetched beside the tiers that need none. The others begin when all are there:
 * builds would take the machine from tests that wait for processes.
 *
 * Tests of processes depend on how busy the machine is. If up to three of their files fail and nothing else, these files
 * run once more, alone and with the same seed. The second result counts, and the report names the first as unsteady.
 * `npm run steady` looks for unsteady tests: it runs nothing again.
 */
import { createHash, randomInt } from "node:crypto";
import { type CliOptions, parseCLI, startVitest } from "vitest/node";
import packageJson from "../package.json" with { type: "json" };
import { TierReporter } from "../test/reporter.ts";
import { fetchAll, missingPeers } from "./peers/fetch-all.ts";

/** Titles of tests that may be skipped in CI, each with its reason beside it. */
const allowedSkips: ReadonlySet<string> = new Set([]);
const tiersWithoutPeers = ["laws", "unit", "scenarios"];
const tiersWithPeers = ["e2e", "load"];
/** More failed files have a common cause, and running them again would hide it. */
const mostFilesRunAgain = 3;

if (process.env["BINNACLE_SEED"] === undefined) process.env["BINNACLE_SEED_IS_RANDOM"] = "1";
const seed =
  process.env["BINNACLE_SEED"] ?? String(process.env["CI"] === "true" ? seedOfVersion() : randomInt(2 ** 31));
process.env["BINNACLE_SEED"] = seed;
print(`seed ${seed}`);

const given = process.argv.slice(2);
const { filter, options } = parseCLI(["vitest", "run", ...given]);
const reporter = new TierReporter();
// A run of certain tests waits for their peers alone.
const missing = given.length === 0 ? await missingPeers() : [];
if (missing.length === 0) await runTests(options);
else {
  print(`peers to fetch beside the first tiers: ${missing.join(", ")}`);
  const fetched = fetchAll(missing, (line) => print(`peer ${line}`));
  await runTests({ ...options, project: tiersWithoutPeers });
  await runTests({ ...options, project: tiersWithPeers, provide: { unavailablePeers: await fetched } });
}
if (filter.length === 0) await runFailedAgain();

const forbidden = process.env["CI"] === "true" ? reporter.skipped.filter(({ test }) => !allowedSkips.has(test)) : [];
const nothingRan = reporter.passed + reporter.failed === 0;
if (reporter.failed > 0 || nothingRan || forbidden.length > 0) process.exitCode = 1;

for (const line of reporter.lines()) print(line);
if (forbidden.length > 0) print(`in CI no test may be skipped: ${forbidden.length} are`);
if (nothingRan) print("no test ran");
print(`seed ${seed} (BINNACLE_SEED=${seed} npm test)`);
print(reporter.closingLine());

async function runTests(settings: CliOptions, files = filter): Promise<void> {
  const vitest = await startVitest(files, { ...settings, watch: false, reporters: ["default", reporter] });
  await vitest.close();
}

async function runFailedAgain(): Promise<void> {
  const files = reporter.failedFilesOnlyIn(tiersWithPeers);
  if (files.length === 0 || files.length > mostFilesRunAgain) return;
  print(`running again, alone: ${files.join(", ")}`);
  // Vitest has set it for the first run. The counts below decide.
  process.exitCode = 0;
  await runTests({ ...options, project: tiersWithPeers, fileParallelism: false }, files);
}

/**
 * In CI the seed follows from the version, so that a failure is due to the change. Random runs of developers, `npm run
 * steady` and `npm run fuzz` try other seeds.
 */
function seedOfVersion(): number {
  return Number.parseInt(createHash("sha256").update(packageJson.version).digest("hex").slice(0, 7), 16);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
