/**
 * `npm run steady [-- --rounds 10 --busy 3 --tiers unit,e2e --minutes 600]`: every tier many times, each time with
 * another seed, and some times more while something else keeps all cores busy. Ends with a table, and with the seeds of
 * all failures. Begins no run after `--minutes`. More arguments go to vitest, files for instance.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Burners } from "./steady/burners.ts";
import { summaryLines, type TierRun } from "./steady/summary.ts";

const root = resolve(import.meta.dirname, "..");
const allTiers = ["laws", "unit", "scenarios", "e2e", "load"];
/** The longest that one run of one tier may take. */
const runMs = 60 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "10" },
    busy: { type: "string", default: "3" },
    tiers: { type: "string", default: allTiers.join(",") },
    minutes: { type: "string", default: "600" },
  },
});
const deadline = performance.now() + numberOf("minutes") * 60_000;
const runs: TierRun[] = [];
await rounds(numberOf("rounds"), false);
{
  await using burners = new Burners();
  print(`busy by processes ${burners.pids.join(", ")}`);
  await rounds(numberOf("busy"), true);
}
for (const line of summaryLines(runs)) print(line);
if (runs.some(({ failures }) => failures.length > 0) || runs.length === 0) process.exitCode = 1;

async function rounds(count: number, busy: boolean): Promise<void> {
  for (let round = 1; round <= count; round++) {
    for (const tier of values.tiers.split(",")) {
      if (performance.now() > deadline) return print(`stopped after ${values.minutes} minutes`);
      const run = runTier(tier, busy);
      runs.push(run);
      const { seed, seconds, passed, failures } = run;
      const how = `${tier} ${busy ? "busy" : "quiet"} ${round}/${count}, seed ${seed}`;
      print(`${how}: ${passed} passed, ${failures.length} failed in ${Math.round(seconds)} s`);
      for (const failure of failures) print(`  ${failure}`);
    }
  }
}

function runTier(tier: string, busy: boolean): TierRun {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-steady-"));
  const report = join(folder, "report.json");
  const seed = String(randomInt(2 ** 31));
  const start = performance.now();
  const args = ["run", "--project", tier, "--reporter=json", `--outputFile=${report}`, ...positionals];
  const env = { ...process.env, BINNACLE_SEED: seed };
  const { status } = spawnSync("vitest", args, {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "ignore"],
    timeout: runMs,
  });
  const seconds = (performance.now() - start) / 1000;
  try {
    return { tier, seed, busy, seconds, ...outcomeOf(report, status) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The parts of vitest's report that are read here. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Whatever could hide a failure counts as one: a file that does not load, a run without a report. */
function outcomeOf(file: string, status: number | null): Pick<TierRun, "passed" | "failures"> {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return { passed: 0, failures: [`vitest ended with ${status ?? "a signal"} and left no report`] };
  }
  const failures = report.testResults.flatMap(({ name, status: state, assertionResults }) => {
    const path = relative(root, name);
    const failed = assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${path} > ${test.fullName}`);
    return failed.length === 0 && state === "failed" ? [`${path} does not load, or its set-up fails`] : failed;
  });
  const hidden = failures.length === 0 && status !== 0 ? [`vitest ended with ${status ?? "a signal"}`] : [];
  return { passed: report.numPassedTests, failures: [...failures, ...hidden] };
}

function numberOf(name: "rounds" | "busy" | "minutes"): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0)
    throw new Error(`--${name}: expected a whole number, found ${values[name]}`);
  return number;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
