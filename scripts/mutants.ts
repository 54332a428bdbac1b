/**
 * `npm run mutants [FOLDER|FILE|FILE:LINES…]`: mutates the code, one place at a time. Lists the mutants that no test
 * notices. Options:
 *
 * - `--count N`: mutants (200)
 * - `--seed N`: chooses the mutants (printed)
 * - `--tests FILE`: tries only these test files
 * - `--nearest N`: test files for each file (16)
 * - `--budget MS`: time of tests for each mutant (5000)
 * - `--workers N`: processes (2)
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Campaign } from "./mutants/campaign.ts";
import { reportOf } from "./mutants/report.ts";
import { placesOf } from "./mutants/targets.ts";

/** Code whose every branch matters: the graph, the protocols, time, and the parts that merge configuration. */
const usual = [
  "src/xds",
  "src/collection",
  "src/pilot/xds",
  "src/mcp",
  "src/lib/time",
  "src/galley/processor",
  "src/galley/snapshotter",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    budget: { type: "string", default: "5000" },
    nearest: { type: "string", default: "16" },
    workers: { type: "string", default: "2" },
    tests: { type: "string", multiple: true, default: [] },
  },
});

const root = resolve(import.meta.dirname, "..");
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const campaign = new Campaign({
  root,
  places: (positionals.length > 0 ? positionals : usual).flatMap((target) => placesOf(root, target)),
  seed: number("seed"),
  count: number("count"),
  budgetMs: number("budget"),
  nearest: number("nearest"),
  workers: number("workers"),
  limitMs: 10_000,
  tests: values.tests,
  folders: ["src", "test/scenarios", "test/golden", "test/conformance"],
  print,
});
const verdicts = await campaign.run();
for (const line of reportOf(verdicts, (file) => readFileSync(join(root, file), "utf8"))) print(line);

function number(name: "seed" | "count" | "budget" | "nearest" | "workers"): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} is a whole number, not ${values[name]}`);
  return value;
}
