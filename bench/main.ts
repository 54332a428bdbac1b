/** `npm run bench -- NAME`: measures, and prints a table. Figures of one machine compare with each other only. */

import { benchmarks } from "./benchmarks.ts";
import { fairness } from "./fairness.ts";
import { fleet } from "./fleet.ts";
import { galley } from "./galley.ts";
import { generators } from "./generators.ts";
import { mcp } from "./mcp.ts";
import { sizing } from "./sizing.ts";
import { sources } from "./sources.ts";
import { watchdog } from "./watchdog.ts";

const benches: Readonly<Record<string, () => string | Promise<string>>> = {
  benchmarks,
  fairness,
  fleet,
  galley,
  generators,
  mcp,
  sizing,
  sources,
  watchdog,
};

const name = process.argv[2] ?? "";
const bench = benches[name];
if (bench === undefined) throw new Error(`expected one of ${Object.keys(benches).join(", ")}, found "${name}"`);
process.stdout.write(`${await bench()}\n`);
