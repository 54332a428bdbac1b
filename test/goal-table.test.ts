import { expect, test } from "vitest";
import type { Comparison } from "../bench/compare/comparison.ts";
import { goalCells, goalHeading } from "../bench/compare/goal-table.ts";
import { runId, tableRows, tableRuns } from "../bench/compare/goals.ts";
import type { RoundFigures } from "../bench/compare/stages.ts";

const stages = ["start", "first sync", "endpoint edit", "VirtualService edit", "DestinationRule edit", "new service"];

/** A round in which every stage takes so long, and every memory figure is a thousand times the number. */
function round(value: number): RoundFigures {
  const figures = { seconds: value, cpuSeconds: value, kilobytesPerProxy: value, clientShare: 0 };
  const megabytes = value * 1_000;
  return {
    stages: Object.fromEntries([...stages, "reconnect"].map((stage) => [stage, figures])),
    memory: { alone: megabytes, withProxies: megabytes, afterEdits: megabytes, peak: megabytes },
  };
}

function comparisons(...servers: readonly (readonly [name: string, value: number])[]): ReadonlyMap<string, Comparison> {
  const conditions = { date: "2026-11-19", commit: "0", node: "v24", cores: 2, loadBefore: 0, rounds: 1 };
  return new Map(
    tableRuns.map((run) => [
      runId(run),
      { ...conditions, ...run, servers: Object.fromEntries(servers.map(([name, value]) => [name, round(value)])) },
    ]),
  );
}

test("the table of goals has each row once, and marks each figure that missed its goal", () => {
  const missed = goalCells(comparisons(["binnacle", 100], ["istiod", 50]));
  expect(missed.map(([name]) => name)).toEqual(tableRows.map(({ name }) => name));
  const rowOf = (name: string) => missed.find(([each]) => each === name)?.slice(1);
  expect(rowOf("W1, endpoint edit, 1 000 delta")).toEqual([
    "≤ 0.1 s, ≤ 0.15 CPU s",
    "**100.00 s**, **100.00 CPU s**, 100 kB",
    "50.00 s, 50.00 CPU s, 50 kB",
  ]);
  expect(rowOf("W4, memory with 200 SotW")).toEqual(["≤ 0.1 × the peer", "**100000 MB**", "50000 MB"]);
  const reached = goalCells(comparisons(["binnacle", 0.01], ["istiod", 50], ["replay", 0.005]));
  expect(reached.flat().filter((cell) => cell.includes("**"))).toEqual([]);
});

test("the table of goals leaves out runs that were not made, and has a column for each peer", () => {
  const all = comparisons(["binnacle", 1], ["replay", 1]);
  expect(goalHeading(all)).toEqual(["figure", "goal", "reached", "replay"]);
  const one = new Map([...all].filter(([id]) => id === "W4 200 sotw"));
  expect(goalCells(one).map(([name]) => name)).toEqual([
    "W4, start",
    "W4, first sync of 200 SotW",
    "W4, memory with 200 SotW",
  ]);
});
