import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import buildCommand from "../test/e2e/support/binnacle/build-command.ts";
import { root } from "../test/e2e/support/checkout.ts";
import { type Comparison, comparisonTable } from "./compare/comparison.ts";
import { goalTable } from "./compare/goal-table.ts";
import { runId, tableRuns } from "./compare/goals.ts";
import type { Run } from "./compare/run.ts";
import { allEdits } from "./compare/stages.ts";
import { workloads } from "./compare/workloads.ts";

/**
 * `npm run bench -- compare`: this server, and peers beside it, on one of four meshes with a fleet. The servers take turns in one
 * run. Figures are medians of the rounds. CPU time and memory are those of the server's process, from `/proc`.
 *
 * - `--peer istiod`, or `--peer istiod=PATH` for another executable; `--peer go-control-plane` serves the same resources with that
 *   library; `--peer replay` sends recorded bytes
 * - `--workload W1` (`bench/compare/workloads.ts`), `--proxies 1000`, `--mode sotw|delta`, `--rounds 3`
 * - `--record` keeps the figures as JSON in `bench/results`
 */
export async function compare(): Promise<string> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      ...commonOptions,
      workload: { type: "string", default: "W1" },
      proxies: { type: "string", default: "1000" },
      mode: { type: "string", default: "sotw" },
      rounds: { type: "string", default: "3" },
    },
  });
  const { peer: peers = [], workload, record: isRecorded } = values;
  if (workloads[workload] === undefined) throw new Error(`expected --workload ${Object.keys(workloads).join(", ")}`);
  const [proxies, rounds] = [Number(values.proxies), Number(values.rounds)];
  const mode = values.mode === "delta" ? "delta" : "sotw";
  const run = { peers, workload, proxies, mode, rounds, repetition: allEdits } as const;
  return await withCommand(isRecorded, async (compared) => comparisonTable(await compared(run)));
}

/**
 * `npm run bench -- table`: every run behind the table of goals (`bench/compare/goals.ts`), one round each, with istiod,
 * go-control-plane and a replay of recorded bytes. Takes about 40 minutes on two cores.
 *
 * - `--peer`, `--record`: as in `compare`
 * - `--share 0.02` connects a fiftieth of the proxies, to try it out
 */
export async function table(): Promise<string> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { ...commonOptions, share: { type: "string", default: "1" } },
  });
  const { peer: peers = ["istiod", "go-control-plane", "replay"], record: isRecorded, share } = values;
  return await withCommand(isRecorded, (compared) => wholeTable(compared, peers, Number(share)));
}

const commonOptions = {
  peer: { type: "string", multiple: true },
  record: { type: "boolean", default: false },
} as const;

type Compared = (run: Run) => Promise<Comparison>;

/** Builds the command, and removes it afterwards. */
async function withCommand(isRecorded: boolean, act: (compared: Compared) => Promise<string>): Promise<string> {
  const removeBuilt = await buildCommand();
  try {
    // After the build: it starts the built command.
    const { compareServers } = await import("./compare/run.ts");
    return await act(async (run) => {
      const comparison = await compareServers(run);
      if (isRecorded) record(comparison);
      return comparison;
    });
  } finally {
    removeBuilt();
  }
}

/** A slow server makes one or two edits of each kind, so that the table takes minutes and not an hour. */
const few = { most: 3, budgetMs: 15_000 };

async function wholeTable(compared: Compared, peers: readonly string[], share: number): Promise<string> {
  const comparisons = new Map<string, Comparison>();
  for (const { isReplayed, ...run } of tableRuns) {
    const proxies = Math.max(1, Math.round(run.proxies * share));
    const some = peers.filter((peer) => isReplayed || peer.startsWith("istiod"));
    comparisons.set(runId(run), await compared({ ...run, proxies, peers: some, rounds: 1, repetition: few }));
    process.stderr.write(`${goalTable(comparisons)}\n`);
  }
  return goalTable(comparisons);
}

function record(comparison: Comparison): void {
  const folder = join(root, "bench/results");
  mkdirSync(folder, { recursive: true });
  const { date, commit, workload, mode, proxies } = comparison;
  const file = join(folder, `${date}-${commit.slice(0, 8)}-${workload}-${proxies}-${mode}.json`);
  writeFileSync(file, `${JSON.stringify(comparison, undefined, 2)}\n`);
  process.stderr.write(`recorded in bench/results\n`);
}
