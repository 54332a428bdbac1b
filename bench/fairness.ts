import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endpointType } from "../src/xds/type-urls.ts";
import { startBinnacle } from "../test/e2e/support/binnacle/server.ts";
import { sidecarNode } from "../test/e2e/support/envoy/bootstrap.ts";
import { MeshDir } from "../test/e2e/support/mesh-dir.ts";
import { metric } from "../test/e2e/support/metrics.ts";
import { DeltaClient } from "../test/e2e/support/xds/ads-client.ts";
import { benchTable } from "./bench-table.ts";
import { tenantEntry } from "./fairness/tenant-entry.ts";

const edits = 20;
const editsPerSecond = 1_000;
const files = 100;
const cluster = "outbound|80||service-0.quiet.example.com";

interface Flood {
  readonly name: string;
  readonly start: (mesh: MeshDir, xdsPort: number) => ChildProcess | undefined;
}

const floods: readonly Flood[] = [
  { name: "nothing", start: () => undefined },
  {
    name: `another namespace with ${editsPerSecond} edits per second`,
    start: (mesh) => run("edit-flood.ts", [mesh.path, String(editsPerSecond)]),
  },
  {
    name: "another peer that opens and closes streams in a loop",
    start: (_, xdsPort) => run("stream-flood.ts", [String(xdsPort)]),
  },
];

/**
 * The time from an edit of an endpoint in a file to the ACK of a proxy, once a second for 20 s, beside a flood from
 * another process. Both tenants are in one directory.
 */
export async function fairness(): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const flood of floods) {
    process.stderr.write(`beside ${flood.name} …\n`);
    rows.push([flood.name, ...(await measure(flood))]);
  }
  return benchTable(["beside", "p50", "longest", "pushes", "refused streams"], rows);
}

async function measure({ start }: Flood): Promise<readonly string[]> {
  const loud = Array.from({ length: files }, (_, index) => [`loud/${index}.yaml`, tenantEntry("loud", index, index)]);
  using mesh = new MeshDir({ "quiet.yaml": tenantEntry("quiet", 0, 0), ...Object.fromEntries(loud) });
  await using server = await startBinnacle({ dir: mesh.path, args: ["--log-level", "error"] });
  using proxy = new DeltaClient(server.xdsPort, sidecarNode);
  proxy.subscribe(endpointType, [cluster]);
  proxy.ack(await proxy.next(endpointType, { seconds: 30 }));
  const child = start(mesh, server.xdsPort);
  try {
    await pause(2_000);
    const times: number[] = [];
    for (let edit = 1; edit <= edits; edit += 1) times.push(await timeOf(edit, mesh, proxy));
    const sorted = times.toSorted((a, b) => a - b);
    return [
      ms(sorted[Math.floor(edits / 2)]),
      ms(sorted.at(-1)),
      String(await metric(server.metricsPort, "pilot_xds_pushes")),
      String(await metric(server.metricsPort, "binnacle_xds_refused_total")),
    ];
  } finally {
    if (child?.kill() === true) await once(child, "exit");
  }
}

/** One edit of the quiet tenant, until its proxy has acknowledged it. The rest of the second passes afterwards. */
async function timeOf(edit: number, mesh: MeshDir, proxy: DeltaClient): Promise<number> {
  const startedAt = performance.now();
  mesh.write("quiet.yaml", tenantEntry("quiet", 0, edit));
  proxy.ack(await proxy.next(endpointType, { seconds: 30 }));
  const took = performance.now() - startedAt;
  await pause(Math.max(0, 1_000 - took));
  return took;
}

function run(script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "fairness", script), ...args], { stdio: "ignore" });
}

function ms(value = Number.NaN): string {
  return `${value.toFixed(0)} ms`;
}
