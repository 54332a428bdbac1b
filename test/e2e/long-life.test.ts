import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { seed } from "../../src/testing/random/seed.ts";
import { type EndOfDay, heapSlope } from "./long-life/end-of-day.ts";
import { atScale } from "./support/scale.ts";

/**
 * Simulated days, pushes per day, and edits per push. `heapGrowth` limits the growth of the heap over all days after the
 * first, as a share of the heap. A few days still fill caches, so they show only a gross leak.
 */
const { days, pushes, edits, heapGrowth } = atScale({
  quick: { days: 4, pushes: 20, edits: 50, heapGrowth: 0.1 },
  whole: { days: 14, pushes: 1_400, edits: 52, heapGrowth: 0.02 },
});

/** Caches with a limit are not equally full on every day. A leak of one object per push is far more. */
const spread = 1.15;

async function livedDays(): Promise<readonly EndOfDay[]> {
  const script = join(import.meta.dirname, "long-life/live.ts");
  const args = ["--expose-gc", script, ...[seed, days, pushes, edits].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as EndOfDay);
}

test("a server that lives for two weeks keeps nothing of deleted objects and ended proxies", async () => {
  const lived = await livedDays();
  const [first, second] = lived;
  const last = lived.at(-1);
  const slope = heapSlope(lived.slice(1));
  process.stderr.write(`${lived.map((day) => JSON.stringify(day)).join("\n")}\nheap: ${slope.toFixed(1)} kB per day\n`);

  expect(last?.edits).toBe(days * pushes * edits);
  for (const { connections, parts, timers, problems, errors } of lived) {
    expect({ connections, parts, timers, problems, errors }).toEqual({
      connections: 0,
      parts: 0,
      timers: first?.timers,
      problems: 0,
      errors: [],
    });
  }
  expect(last?.live?.subscriptions).toBe(0);
  const { maps = 0, sets = 0, weakMaps = 0 } = second?.live ?? {};
  expect(last?.live?.maps).toBeLessThan(maps * spread);
  expect(last?.live?.sets).toBeLessThan(sets * spread);
  expect(last?.live?.weakMaps).toBeLessThan(weakMaps * spread);
  expect(slope * days).toBeLessThan((second?.heapKb ?? 0) * heapGrowth);
});
