/** `npm run bench -- NAME`: measures, and prints a table. Figures of one machine compare with each other only. */

import { benchmarks } from "./benchmarks.ts";
import { compare, table } from "./compare.ts";
import { desk } from "./desk.ts";
import { fairness } from "./fairness.ts";
import { fleet } from "./fleet.ts";
import { galley } from "./galley.ts";
import { generators } from "./generators.ts";
import { history } from "./history.ts";
import { mcp } from "./mcp.ts";
import { scale } from "./scale.ts";
import { sizing } from "./sizing.ts";
import { sources } from "./sources.ts";
import { start } from "./start.ts";
import { wait } from "./wait.ts";
import { watchdog } from "./watchdog.ts";

const benches: Readonly<Record<string, () => string | Promise<string>>> = {
  benchmarks,
  compare,
  desk,
  fairness,
  fleet,
  galley,
  generators,
  history,
  mcp,
  scale,
  sizing,
  sources,
  start,
  table,
  wait,
  watchdog,
};

const name = process.argv[2] ?? "";
const bench = benches[name];
if (bench === undefined) throw new Error(`expected one of ${Object.keys(benches).join(", ")}, found "${name}"`);
process.stdout.write(`${await bench()}\n`);
