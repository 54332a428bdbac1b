import { setTimeout as pause } from "node:timers/promises";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import type { FleetMember } from "../../src/fleet/connected-proxy.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import type { StreamMode } from "../../src/fleet/response.ts";
import { MeshDir } from "../../test/e2e/support/mesh-dir.ts";
import type { Contestant, RunningServer } from "./contestants.ts";
import { cpuSecondsOf, memoryOf } from "./process-figures.ts";
import { routerLabels, type Workload } from "./workloads.ts";

/** What the server did in one stage. */
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

/** A fleet is quiet when nothing has come for so long. */
const quietMs = 1_500;
/** A stage that takes longer has failed. */
const mostMs = 300_000;

/** A round makes every edit this often; the figures are medians. */
const editsPerStage = 5;

export interface FleetSize {
  readonly proxies: number;
  readonly mode: StreamMode;
}

/** Starts a server on a mesh, connects a fleet, edits the mesh, and lets the fleet reconnect. */
export async function runRound(contestant: Contestant, workload: Workload, size: FleetSize): Promise<RoundFigures> {
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
  const address = { host: "127.0.0.1", port: server.xdsPort };
  const fleet = new Fleet({ address, members: membersOf(workload, size), perSecond: undefined });
  try {
    const stages: Record<string, StageFigures> = { start };
    stages["first sync"] = await timed(fleet, server, () => fleet.start());
    const withProxies = memoryOf(server.pid).nowMb;
    for (const stage of Object.keys(workload.edits))
      stages[stage] = await editStage(stage, { workload, mesh, fleet, server });
    const afterEdits = memoryOf(server.pid).nowMb;
    fleet.stop();
    await pause(quietMs);
    stages["reconnect"] = await timed(fleet, server, () => fleet.start());
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
}

async function editStage(stage: string, { workload, mesh, fleet, server }: RunningRound): Promise<StageFigures> {
  const figures: StageFigures[] = [];
  for (let n = 0; n < editsPerStage; n++) {
    const edit = workload.edits[stage]?.(n);
    if (edit === undefined) break;
    const { measured, undone } = edit;
    figures.push(await timed(fleet, server, () => mesh.become(measured)));
    if (undone !== undefined) await timed(fleet, server, () => mesh.become(undone));
  }
  return medianFigures(figures);
}

function membersOf({ proxies: kind, namespaces }: Workload, { proxies, mode }: FleetSize): readonly FleetMember[] {
  const routers = kind === "routers" ? 1 : 0;
  return fleetMembers({
    proxies,
    shares: { routers, grpc: 0, delta: mode === "delta" ? 1 : 0, slow: 0, nack: 0, reconnect: 0 },
    namespaces,
    routerLabels,
    targets: [],
    reconnectEveryMs: 1000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

/** A mesh as a directory. */
class EditedMesh implements Disposable {
  readonly #directory: MeshDir;
  #files: Workload["files"];

  constructor(files: Workload["files"]) {
    this.#files = files;
    this.#directory = new MeshDir(files);
  }

  get path(): string {
    return this.#directory.path;
  }

  /** Writes the files that differ. */
  become(files: Workload["files"]): void {
    for (const [file, text] of Object.entries(files)) if (text !== this.#files[file]) this.#directory.write(file, text);
    this.#files = files;
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

/** Acts, and waits until every proxy is in sync and the fleet has become quiet. */
async function timed(fleet: Fleet, server: RunningServer, act: () => void): Promise<StageFigures> {
  const serverBefore = cpuSecondsOf(server.pid);
  const clientBefore = process.cpuUsage();
  const bytesBefore = bytesOf(fleet);
  const startedAt = performance.now();
  act();
  for (;;) {
    await pause(quietMs / 10);
    const { inSync, proxies } = fleet.report;
    const quiet = performance.now() - fleet.lastResponseAt > quietMs;
    if (inSync === proxies && fleet.lastResponseAt > startedAt && quiet) break;
    if (performance.now() - startedAt > mostMs) throw new Error(`only ${inSync} of ${proxies} proxies are in sync`);
  }
  const elapsedMs = fleet.lastResponseAt - startedAt;
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
