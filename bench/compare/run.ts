import { availableParallelism, loadavg } from "node:os";
import { readCommit } from "../../src/app/process/version.ts";
import { root } from "../../test/e2e/support/checkout.ts";
import type { FleetSize } from "./bench-fleet.ts";
import { type Comparison, medianRound } from "./comparison.ts";
import { binnacle, type Contestant, istiodBeside } from "./contestants.ts";
import { goControlPlaneOf } from "./go-control-plane.ts";
import { replayOf } from "./replay.ts";
import { type Repetition, type RoundFigures, runRound } from "./stages.ts";
import { type Workload, workloads } from "./workloads.ts";

/** One comparison: its servers, mesh and fleet. */
export interface Run extends FleetSize {
  readonly peers: readonly string[];
  readonly workload: string;
  readonly rounds: number;
  readonly repetition: Repetition;
}

/** This server and its peers take turns. */
export async function compareServers({ peers, rounds, repetition, ...run }: Run): Promise<Comparison> {
  const workload = workloads[run.workload]?.();
  if (workload === undefined) throw new Error(`expected --workload ${Object.keys(workloads).join(", ")}`);
  const loadBefore = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  await using resources = new AsyncDisposableStack();
  const contestants: Contestant[] = [binnacle];
  for (const peer of peers) contestants.push(await contestantOf(peer, { workload, run, repetition, resources }));
  const figures = new Map<string, RoundFigures[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of contestants) {
      const what = `${contestant.name}, ${run.workload}, ${run.proxies} proxies, ${run.mode}`;
      process.stderr.write(`round ${round} of ${rounds}: ${what} …\n`);
      figures.get(contestant.name)?.push(await runRound(contestant, workload, run, repetition));
    }
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: readCommit(root),
    node: process.version,
    cores: availableParallelism(),
    loadBefore,
    rounds,
    ...run,
    servers: Object.fromEntries(Array.from(figures, ([name, each]) => [name, medianRound(each)])),
  };
}

interface PeerContext {
  readonly workload: Workload;
  readonly run: FleetSize;
  readonly repetition: Repetition;
  readonly resources: AsyncDisposableStack;
}

async function contestantOf(peer: string, { workload, run, repetition, resources }: PeerContext): Promise<Contestant> {
  const round = { mode: run.mode, editsPerStage: repetition.most };
  if (peer === "replay") return resources.use(await replayOf(workload, round));
  if (peer === "go-control-plane") return resources.use(await goControlPlaneOf(workload, round));
  const [name, executable] = peer.split("=");
  if (name === "istiod") return resources.use(await istiodBeside(executable));
  throw new Error(`expected --peer istiod, istiod=PATH, go-control-plane or replay, found "${peer}"`);
}
