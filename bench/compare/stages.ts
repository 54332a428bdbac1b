import { setTimeout as pause } from "node:timers/promises";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { benchFleet, type FleetSize, quietMs, settledAfter } from "./bench-fleet.ts";
import type { Contestant, RunningServer } from "./contestants.ts";
import { EditedMesh } from "./edited-mesh.ts";
import { cpuSecondsOf, memoryOf } from "./process-figures.ts";
import type { Workload } from "./workloads.ts";

/** The time and work of the server in one stage. */
export interface StageFigures {
  /** Until the last response of the last proxy; for the start, until the server is ready. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly kilobytesPerProxy: number;
  /** The share of its core that the client used. Above 0.6 the time is partly the client's. */
  readonly clientShare: number;
}

/** The memory of the server, in megabytes. */
export interface MemoryFigures {
  readonly alone: number;
  readonly withProxies: number;
  readonly afterEdits: number;
  readonly peak: number;
}

export interface RoundFigures {
  readonly stages: Readonly<Record<string, StageFigures>>;
  readonly memory: MemoryFigures;
}

/** How often a round makes every edit; the figures are medians. */
export interface Repetition {
  readonly most: number;
  /** No further edit begins after so long. A slow server makes fewer. */
  readonly budgetMs: number;
}

/** Five of each, however long they take. */
export const allEdits: Repetition = { most: 5, budgetMs: Number.POSITIVE_INFINITY };

/** Starts a server on a mesh, connects a fleet, edits the mesh, and lets the fleet reconnect. */
export async function runRound(
  contestant: Contestant,
  workload: Workload,
  size: FleetSize,
  repetition: Repetition = allEdits,
): Promise<RoundFigures> {
  using mesh = new EditedMesh(workload.files);
  const startedAt = performance.now();
  await using server = await contestant.start(mesh.path);
  const start = {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: cpuSecondsOf(server.pid),
    kilobytesPerProxy: 0,
    clientShare: 0,
  };
  await pause(quietMs);
  const alone = memoryOf(server.pid).nowMb;
  const fleet = benchFleet(workload, size, { xdsPort: server.xdsPort });
  const isAnswered = (stage: string) => contestant.unanswered?.has(stage) !== true;
  try {
    const stages: Record<string, StageFigures> = { start };
    stages["first sync"] = await timed(fleet, server, () => fleet.start());
    const withProxies = memoryOf(server.pid).nowMb;
    for (const stage of Object.keys(workload.edits).filter(isAnswered))
      stages[stage] = await editStage(stage, { workload, mesh, fleet, server, repetition });
    const afterEdits = memoryOf(server.pid).nowMb;
    fleet.stop();
    await pause(quietMs);
    if (isAnswered("reconnect")) stages["reconnect"] = await timed(fleet, server, () => fleet.start());
    return { stages, memory: { alone, withProxies, afterEdits, peak: memoryOf(server.pid).peakMb } };
  } finally {
    fleet.stop();
  }
}

interface RunningRound {
  readonly workload: Workload;
  readonly mesh: EditedMesh;
  readonly fleet: Fleet;
  readonly server: RunningServer;
  readonly repetition: Repetition;
}

async function editStage(
  stage: string,
  { workload, mesh, fleet, server, repetition }: RunningRound,
): Promise<StageFigures> {
  const figures: StageFigures[] = [];
  const beganAt = performance.now();
  for (let n = 0; n < repetition.most; n++) {
    const edit = workload.edits[stage]?.(n);
    if (edit === undefined || (n > 0 && performance.now() - beganAt > repetition.budgetMs)) break;
    const { measured, undone } = edit;
    const become = (files: Workload["files"], how: "done" | "undone") => {
      mesh.become(files);
      server.edited?.(editKey(stage, n, how));
    };
    figures.push(await timed(fleet, server, () => become(measured, "done")));
    if (undone !== undefined) await timed(fleet, server, () => become(undone, "undone"));
  }
  return medianFigures(figures);
}

/** Names one edit of a round, for servers that replay a recording of it. */
export function editKey(stage: string, n: number, how: "done" | "undone"): string {
  return `${stage} ${n} ${how}`;
}

/** Acts, and waits until the fleet is in sync and quiet. */
async function timed(fleet: Fleet, server: RunningServer, act: () => void): Promise<StageFigures> {
  const serverBefore = cpuSecondsOf(server.pid);
  const clientBefore = process.cpuUsage();
  const bytesBefore = bytesOf(fleet);
  const elapsedMs = await settledAfter(fleet, act);
  const { user, system } = process.cpuUsage(clientBefore);
  return {
    seconds: elapsedMs / 1000,
    cpuSeconds: cpuSecondsOf(server.pid) - serverBefore,
    kilobytesPerProxy: (bytesOf(fleet) - bytesBefore) / fleet.proxies.length / 1000,
    clientShare: Math.min(1, (user + system) / 1000 / elapsedMs),
  };
}

function bytesOf(fleet: Fleet): number {
  return Object.values(fleet.report.types).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The median of each figure. */
export function medianFigures(figures: readonly StageFigures[]): StageFigures {
  return {
    seconds: median(figures.map(({ seconds }) => seconds)),
    cpuSeconds: median(figures.map(({ cpuSeconds }) => cpuSeconds)),
    kilobytesPerProxy: median(figures.map(({ kilobytesPerProxy }) => kilobytesPerProxy)),
    clientShare: median(figures.map(({ clientShare }) => clientShare)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
