import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { frames, knownPatterns, type Pattern, units } from "./support/yaml-work/patterns.ts";

const [short, long] = [1000, 8000];
/** In `npm run fuzz`, what built-in functions do counts as well: see `count-steps.ts`. */
const longest = runs(1) > 1 ? 128 * 1024 : long;
/** Eight times the text: linear work is eight times the steps, quadratic work is 64 times as many. */
const allowedGrowth = 14;
/** For one pattern. Linear work takes a second on a busy machine, quadratic work minutes. */
const deadlineMs = 60_000;

const unit = fc.constantFrom(...units);
const row = fc.array(unit, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const randomPattern: fc.Arbitrary<Pattern> = fc
  .tuple(fc.constantFrom(...frames), row, fc.oneof(fc.constant(""), row))
  .map(([[head, tail], first, second]) => ({ head, first, second, tail }));

/** Patterns whose steps grow faster than their text, and the first that is not read in time. */
async function slowAmong(patterns: readonly Pattern[]): Promise<readonly string[]> {
  const script = fileURLToPath(new URL("support/yaml-work/count-steps.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...[short, long, longest].map(String)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const slow: string[] = [];
  for (const pattern of patterns) {
    child.stdin.write(`${Buffer.from(JSON.stringify(pattern)).toString("base64")}\n`);
    const deadline = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    const { value, done = false } = await answers.next();
    clearTimeout(deadline);
    if (done) return [...slow, `${JSON.stringify(pattern)} is not read to its end`];
    const [few = 0, many = 0] = JSON.parse(String(value)) as readonly number[];
    if (many > allowedGrowth * few) slow.push(`${JSON.stringify(pattern)} takes ${few}, then ${many} steps`);
  }
  child.kill();
  return slow;
}

test("documents that once took minutes are read in steps linear in their length", async () => {
  expect(await slowAmong(knownPatterns)).toEqual([]);
});

test("rows of any indicators of YAML, alone and combined, are read in steps linear in their length", async () => {
  expect(await slowAmong(fc.sample(randomPattern, { seed, numRuns: runs(20) }))).toEqual([]);
});
