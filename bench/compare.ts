import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCommit } from "../src/app/process/version.ts";
import buildCommand from "../test/e2e/support/binnacle/build-command.ts";
import { root } from "../test/e2e/support/checkout.ts";
import { type Comparison, comparisonTable, medianRound } from "./compare/comparison.ts";
import type { Contestant } from "./compare/contestants.ts";
import type { RoundFigures } from "./compare/stages.ts";
import { type Workload, workloads } from "./compare/workloads.ts";

/**
 * `npm run bench -- compare`: this server, and peers beside it, on one of four meshes with a fleet. The servers take turns in one
 * run. Figures are medians of the rounds. CPU time and memory are those of the server's process, from `/proc`.
 *
 * - `--peer istiod`, or `--peer istiod=PATH` for another executable
 * - `--workload W1` (`bench/compare/workloads.ts`), `--proxies 1000`, `--mode sotw|delta`, `--rounds 3`
 * - `--record` keeps the figures as JSON in `bench/results`
 */
export async function compare(): Promise<string> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      peer: { type: "string", multiple: true, default: [] },
      workload: { type: "string", default: "W1" },
      proxies: { type: "string", default: "1000" },
      mode: { type: "string", default: "sotw" },
      rounds: { type: "string", default: "3" },
      record: { type: "boolean", default: false },
    },
  });
  const workload = workloads[values.workload]?.();
  if (workload === undefined) throw new Error(`expected --workload ${Object.keys(workloads).join(", ")}`);
  const mode = values.mode === "delta" ? "delta" : "sotw";
  const [proxies, rounds] = [Number(values.proxies), Number(values.rounds)];
  const loadBefore = loadavg()[0] ?? 0;
  const removeBuilt = await buildCommand();
  try {
    const figures = await measure(values.peer, { workload, proxies, rounds, mode });
    const comparison: Comparison = {
      date: new Date().toISOString().slice(0, 10),
      commit: readCommit(root),
      node: process.version,
      cores: availableParallelism(),
      loadBefore: Math.round(loadBefore * 10) / 10,
      workload: values.workload,
      rounds,
      proxies,
      mode,
      servers: Object.fromEntries(Array.from(figures, ([name, each]) => [name, medianRound(each)])),
    };
    if (values.record) record(comparison);
    return comparisonTable(comparison);
  } finally {
    removeBuilt();
  }
}

interface Measured {
  readonly workload: Workload;
  readonly proxies: number;
  readonly rounds: number;
  readonly mode: "sotw" | "delta";
}

async function measure(peers: readonly string[], { workload, rounds, ...size }: Measured) {
  // After the build: they start the built command.
  const { binnacle, istiodBeside } = await import("./compare/contestants.ts");
  const { runRound } = await import("./compare/stages.ts");
  await using resources = new AsyncDisposableStack();
  const contestants: Contestant[] = [binnacle];
  for (const peer of peers) {
    const [name, executable] = peer.split("=");
    if (name !== "istiod") throw new Error(`expected --peer istiod or istiod=PATH, found "${peer}"`);
    contestants.push(resources.use(await istiodBeside(executable)));
  }
  const figures = new Map<string, RoundFigures[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of contestants) {
      process.stderr.write(
        `round ${round} of ${rounds}: ${contestant.name}, ${size.proxies} proxies, ${size.mode} …\n`,
      );
      figures.get(contestant.name)?.push(await runRound(contestant, workload, size));
    }
  }
  return figures;
}

function record(comparison: Comparison): void {
  const folder = join(root, "bench/results");
  mkdirSync(folder, { recursive: true });
  const { date, commit, workload, mode, proxies } = comparison;
  const file = join(folder, `${date}-${commit.slice(0, 8)}-${workload}-${proxies}-${mode}.json`);
  writeFileSync(file, `${JSON.stringify(comparison, undefined, 2)}\n`);
  process.stderr.write(`recorded in bench/results\n`);
}
