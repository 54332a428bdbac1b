import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { frames, knownPatterns, type Pattern, units } from "./support/yaml-work/patterns.ts";

/** Each has eight times the text of the one before: linear work is eight times the steps, quadratic work 64 times. */
const lengths = [500, 4000, 32_000];
const allowedGrowth = 12;
/** For one pattern. Linear work takes a second on a busy machine, quadratic work minutes. */
const deadlineMs = 60_000;

const unit = fc.constantFrom(...units);
const row = fc.array(unit, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const randomPattern: fc.Arbitrary<Pattern> = fc
  .tuple(fc.constantFrom(...frames), row, fc.oneof(fc.constant(""), row))
  .map(([[head, tail], first, second]) => ({ head, first, second, tail }));

/**
 * Patterns whose steps grow faster than their text, and the first that is not read in time. A single jump is no growth:
 * another quote or bracket may close what was open, and make a different document of it.
 */
async function slowAmong(patterns: readonly Pattern[]): Promise<readonly string[]> {
  const script = fileURLToPath(new URL("support/yaml-work/count-steps.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...lengths.map(String)], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const slow: string[] = [];
  for (const pattern of patterns) {
    child.stdin.write(`${Buffer.from(JSON.stringify(pattern)).toString("base64")}\n`);
    const deadline = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    const { value, done = false } = await answers.next();
    clearTimeout(deadline);
    if (done) return [...slow, `${JSON.stringify(pattern)} is not read to its end`];
    const steps = JSON.parse(String(value)) as readonly number[];
    const isSlow = steps.slice(1).every((more, index) => more > allowedGrowth * (steps[index] ?? 0));
    if (isSlow) slow.push(`${JSON.stringify(pattern)} takes ${steps.join(", then ")} steps`);
  }
  child.kill();
  return slow;
}

test("formerly slow documents are read in linear steps", async () => {
  expect(await slowAmong(knownPatterns)).toEqual([]);
});

test("repeated YAML indicators, alone and combined, are read in linear steps", async () => {
  expect(await slowAmong(fc.sample(randomPattern, { seed, numRuns: runs(12) }))).toEqual([]);
});
