/**
 * `npm run fuzz:coverage -- TARGET|all [SECONDS]`: fuzzes a surface that takes bytes from outside (`test/fuzz/targets`),
 * guided by coverage, with Jazzer.js on built code. SECONDS is CPU time, by default 600. Prints executions, coverage and
 * findings. A finding is minimized into `test/fuzz/corpus/TARGET`, where `npm test` replays it, and ends the run with 1.
 *
 * `npm run fuzz:coverage -- planted TARGET|all [SECONDS]`: finds the planted bug of the target, at most in that time.
 * BINNACLE_SEED=N repeats the random choices. Inputs that were found stay in `node_modules/.cache` for the next run.
 */
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorFrom } from "../src/lib/errors.ts";
import { inputsOf } from "../test/fuzz/corpus.ts";
import { plantedMessage, plantedWord } from "../test/fuzz/planted.ts";
import type { FuzzTarget } from "../test/fuzz/target.ts";
import { targets } from "../test/fuzz/targets.ts";
import { buildTarget } from "./fuzz/build-target.ts";
import { clearFolder, workFolder } from "./fuzz/fuzz-folders.ts";
import { keepFinding } from "./fuzz/keep-finding.ts";
import { type JazzerResult, runJazzer } from "./fuzz/run-jazzer.ts";

const given = process.argv.slice(2);
const planted = given.includes("planted");
const [wanted = "", seconds = "600"] = given.filter((each) => each !== "planted");
const chosen = wanted === "all" ? targets : targets.filter(({ name }) => name === wanted);
const budget = Number(seconds);
if (chosen.length === 0 || !(budget > 0)) {
  process.stderr.write(`usage: npm run fuzz:coverage -- [planted] TARGET [SECONDS]\n`);
  process.stderr.write(`TARGET: all, ${targets.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}
const seed = Number(process.env["BINNACLE_SEED"] ?? randomInt(1, 2 ** 31));
process.stdout.write(`seed ${seed}\n`);
for (const target of chosen) {
  const run = planted ? findPlanted(target) : fuzz(target);
  process.stdout.write(`${target.name}: ${await run.catch(notRun)}\n`);
}

/** The other targets run all the same. */
function notRun(cause: unknown): string {
  process.exitCode = 1;
  return `NOT RUN: ${errorFrom(cause).message}`;
}

async function fuzz(target: FuzzTarget): Promise<string> {
  const folder = workFolder(target.name);
  const file = await buildTarget(target, folder, false);
  const { executions, cpuSeconds, coverage, crash } = await runRounds(target, file, folder);
  const edges = `${coverage.before} edges before, ${coverage.after} after`;
  const figures = `${executions} executions, ${edges}, ${Math.round(cpuSeconds)} s of CPU`;
  if (crash === undefined) return `${figures}, no finding`;
  process.exitCode = 1;
  const kept = await keepFinding(target, crash.file);
  return `${figures}, FINDING kept as ${kept}\n${crash.text}`;
}

async function findPlanted(target: FuzzTarget): Promise<string> {
  const name = `${target.name}-planted`;
  // Without the inputs of earlier runs: one of them may reach the bug at once.
  clearFolder(name);
  const folder = workFolder(name);
  const file = await buildTarget(target, folder, true);
  const words = [...(target.words ?? []), plantedWord];
  const { executions, cpuSeconds, crash } = await runRounds({ ...target, words }, file, folder);
  const spent = `${executions} executions, ${Math.round(cpuSeconds)} s of CPU`;
  if (crash?.text.includes(plantedMessage)) return `the planted bug was found: ${spent}`;
  process.exitCode = 1;
  return crash === undefined ? `the planted bug was NOT FOUND: ${spent}` : `ANOTHER FINDING: ${spent}\n${crash.text}`;
}

/** Rounds until the CPU time is spent: on a busy machine a second has less than a second of it. Ends with a crash. */
async function runRounds(target: FuzzTarget, file: string, folder: string): Promise<JazzerResult> {
  const inputs = [join(folder, "found"), writeSeeds(target, folder)];
  const crashes = join(folder, "crashes");
  let all: JazzerResult | undefined;
  for (let round = 0; all === undefined || (all.crash === undefined && all.cpuSeconds < budget); round++) {
    const left = Math.ceil(budget - (all?.cpuSeconds ?? 0));
    const result = await runJazzer(target, { seconds: left, seed: seed + round, file, inputs, crashes });
    all = all === undefined ? result : joined(all, result);
  }
  return all;
}

function joined(earlier: JazzerResult, later: JazzerResult): JazzerResult {
  return {
    ...later,
    executions: earlier.executions + later.executions,
    // A round that was killed does not say its time.
    cpuSeconds: earlier.cpuSeconds + Math.max(later.cpuSeconds, 1),
    coverage: { before: earlier.coverage.before, after: later.coverage.after },
  };
}

/** The inputs to begin with as files. */
function writeSeeds(target: FuzzTarget, folder: string): string {
  const seeds = join(folder, "seeds");
  for (const [name, input] of inputsOf(target)) writeFileSync(join(seeds, name), input);
  return seeds;
}
