import { setTimeout as pause } from "node:timers/promises";
import { fleetMembers } from "../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../src/fleet/fleet.ts";
import type { StreamMode } from "../src/fleet/response.ts";
import { type BinnacleProcess, startBinnacle } from "../test/e2e/support/binnacle/server.ts";
import { MeshDir } from "../test/e2e/support/mesh-dir.ts";
import { benchTable } from "./bench-table.ts";
import { unedited, type W1Edit, w1Files, w1Namespaces } from "./w1.ts";

const sizes = [200, 1000];
const modes: readonly StreamMode[] = ["sotw", "delta"];

/** A fleet is quiet when nothing has come for so long. */
const quietMs = 1000;

type Stage = "first sync" | "VirtualService" | "DestinationRule" | "endpoint" | "new service";

/** One after the other. */
const edits: readonly { readonly stage: Stage; readonly edit: W1Edit }[] = [
  { stage: "VirtualService", edit: { ...unedited, weight: 80 } },
  { stage: "DestinationRule", edit: { ...unedited, weight: 80, maxConnections: 50 } },
  { stage: "endpoint", edit: { ...unedited, weight: 80, maxConnections: 50, thirdEndpoint: true } },
  { stage: "new service", edit: { weight: 80, maxConnections: 50, thirdEndpoint: true, anotherService: true } },
];

/** Seconds of the processor that istiod 1.29.6 used for the same, on two cores as well; where they are known. */
const istiod: Readonly<Record<string, Readonly<Record<Stage, number>>>> = {
  "200 sotw": { "first sync": 9.3, VirtualService: 2.82, DestinationRule: 3.12, endpoint: 0.42, "new service": 2.92 },
  "1000 sotw": { "first sync": 44.1, VirtualService: 11.5, DestinationRule: 14.2, endpoint: 0.9, "new service": 12.8 },
  "1000 delta": { "first sync": 45.8, VirtualService: 11.9, DestinationRule: 13, endpoint: 0.46, "new service": 10.4 },
};

interface Measured {
  readonly stage: Stage;
  readonly lastMs: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
}

/**
 * A server and a fleet on the mesh whose figures for istiod are known. The time is that of the last proxy, and mostly
 * the fleet's own: it decodes what it gets. The server's processor time is what can be compared.
 */
export async function fleet(): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const size of sizes) {
    for (const mode of modes) {
      process.stderr.write(`${size} proxies, ${mode} …\n`);
      const { measured, rssMb } = await measure(size, mode);
      rows.push(...measured.map((each) => row(size, mode, each, rssMb)));
    }
  }
  return benchTable(["proxies", "protocol", "what", "last proxy", "sent", "CPU", "istiod", "ratio", "RSS"], rows);
}

async function measure(size: number, mode: StreamMode) {
  using mesh = new MeshDir(w1Files(unedited));
  await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--log-level", "warn"] });
  const running = new Fleet({
    address: { host: "127.0.0.1", port: binnacle.xdsPort },
    members: membersOf(size, mode),
    perSecond: undefined,
  });
  try {
    const measured = [await timed("first sync", running, binnacle, () => running.start())];
    let files = w1Files(unedited);
    for (const { stage, edit } of edits) {
      const before = files;
      files = w1Files(edit);
      measured.push(await timed(stage, running, binnacle, () => writeChanged(mesh, before, files)));
    }
    return { measured, rssMb: binnacle.rssMb };
  } finally {
    running.stop();
  }
}

function membersOf(proxies: number, mode: StreamMode) {
  return fleetMembers({
    proxies,
    shares: { routers: 0, grpc: 0, delta: mode === "delta" ? 1 : 0, slow: 0, nack: 0, reconnect: 0 },
    namespaces: w1Namespaces,
    routerLabels: {},
    targets: [],
    reconnectEveryMs: 1000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

function writeChanged(mesh: MeshDir, before: Readonly<Record<string, string>>, after: typeof before): void {
  for (const [file, text] of Object.entries(after)) if (text !== before[file]) mesh.write(file, text);
}

/** Until everybody is in sync and the fleet has become quiet. */
async function timed(stage: Stage, running: Fleet, binnacle: BinnacleProcess, act: () => void): Promise<Measured> {
  const cpuBefore = binnacle.cpuSeconds;
  const bytesBefore = bytesOf(running);
  const startedAt = performance.now();
  act();
  for (;;) {
    await pause(quietMs / 10);
    const { inSync, proxies } = running.report;
    const quiet = performance.now() - running.lastResponseAt > quietMs;
    if (inSync === proxies && running.lastResponseAt > startedAt && quiet) break;
  }
  return {
    stage,
    lastMs: running.lastResponseAt - startedAt,
    cpuSeconds: binnacle.cpuSeconds - cpuBefore,
    bytes: bytesOf(running) - bytesBefore,
  };
}

function bytesOf(running: Fleet): number {
  return Object.values(running.report.types).reduce((sum, { bytes }) => sum + bytes, 0);
}

function row(size: number, mode: StreamMode, { stage, lastMs, cpuSeconds, bytes }: Measured, rssMb: number) {
  const peer = istiod[`${size} ${mode}`]?.[stage];
  return [
    String(size),
    mode,
    stage,
    `${(lastMs / 1000).toFixed(2)} s`,
    `${(bytes / size / 1000).toFixed(1)} kB`,
    `${cpuSeconds.toFixed(2)} s`,
    peer === undefined ? "" : `${peer} s`,
    peer === undefined ? "" : (peer / Math.max(cpuSeconds, 0.01)).toFixed(0),
    stage === "first sync" ? `${rssMb.toFixed(0)} MB` : "",
  ];
}
