import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../src/app/process/system-clock.ts";
import { fleetMembers } from "../src/cli/nodes/fleet-members.ts";
import { awaitObject } from "../src/cli/wait/await-object.ts";
import { appliedVersion } from "../src/config/applied-version.ts";
import { configId } from "../src/config/config.ts";
import { Fleet } from "../src/fleet/fleet.ts";
import { configIn } from "../src/testing/config/configs-in.ts";
import { eventually } from "../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "../test/e2e/support/binnacle/server.ts";
import { MeshDir } from "../test/e2e/support/mesh-dir.ts";
import { objectYaml } from "../test/e2e/support/yaml.ts";
import { benchTable } from "./bench-table.ts";

const proxies = 200;
const edits = 60;
/** The goal: a pipeline that waits loses no more time than this. */
const goalMs = 50;

const service = objectYaml("ServiceEntry", "backend", {
  hosts: ["backend.example"],
  ports: [{ number: 80, name: "http", protocol: "HTTP" }],
  resolution: "STATIC",
  endpoints: [{ address: "10.0.0.1" }],
});

function route(marker: number): string {
  const http = [{ directResponse: { status: 200, body: { string: `answer ${marker}` } } }];
  return objectYaml("VirtualService", "backend", { hosts: ["backend.example"], http });
}

/**
 * Two tables: the time from the last acknowledgement of a fleet to the end of `binnacle wait`, and the CPU time of a server
 * per edit, without and with the parts that stay unused: the history, the store of rollouts, the gates.
 */
export async function wait(): Promise<string> {
  const state = mkdtempSync(join(tmpdir(), "binnacle-bench-wait-"));
  try {
    const plain = await measured([]);
    const unused = await measured([
      "--rollout-store",
      join(state, "rollouts.json"),
      "--prometheus",
      "http://127.0.0.1:9",
    ]);
    const logged = await measured(["--history", join(state, "history")]);
    const again = await measured([]);
    return [waitTable(plain.lags), costTable({ plain, unused, logged, again })].join("\n\n");
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

interface Figures {
  /** From the last acknowledgement to the end of the wait, in milliseconds. */
  readonly lags: readonly number[];
  /** CPU time of the server per edit, in milliseconds. */
  readonly cpuMs: number;
}

async function measured(args: readonly string[]): Promise<Figures> {
  using mesh = new MeshDir({ "service.yaml": service, "route.yaml": route(0) });
  await using server = await startBinnacle({ dir: mesh.path, args });
  const last = { at: 0 };
  const fleet = connected(server, () => {
    last.at = performance.now();
  });
  try {
    await eventually("the fleet is in sync", () => fleet.report.inSync === proxies, { seconds: 60 });
    const lags: number[] = [];
    // The first edits warm the server up.
    for (let edit = 1; edit <= edits / 3; edit++) await lagOf(mesh, server, edit);
    const before = server.cpuSeconds;
    for (let edit = edits; edit < 2 * edits; edit++) lags.push((await lagOf(mesh, server, edit)) - last.at);
    return { lags, cpuMs: ((server.cpuSeconds - before) * 1_000) / edits };
  } finally {
    fleet.stop();
  }
}

/** Edits the route, and resolves with the moment at which a wait for this content ends. */
async function lagOf(mesh: MeshDir, server: BinnacleProcess, edit: number): Promise<number> {
  const text = route(edit);
  mesh.write("route.yaml", text);
  const target = { id: configId("VirtualService", "shop", "backend"), version: appliedVersion(configIn(text)) };
  const deadline = systemClock.now() + 30_000;
  const options = {
    server: `127.0.0.1:${server.httpPort}`,
    goal: "live",
    proxies: [],
    allowNone: false,
    deadline,
  } as const;
  const page = await awaitObject(target, options, { clock: systemClock });
  const endedAt = performance.now();
  if (!page.met || page.proxies.live !== proxies) throw new Error(`edit ${edit}: ${page.state}, ${page.proxies.live}`);
  await pause(50);
  return endedAt;
}

function connected({ xdsPort }: BinnacleProcess, onApplied: () => void): Fleet {
  const members = fleetMembers({
    proxies,
    shares: { routers: 0, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 },
    namespaces: ["shop"],
    routerLabels: {},
    targets: [],
    reconnectEveryMs: 1_000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  const address = { host: "127.0.0.1", port: xdsPort };
  const fleet = new Fleet({ address, members, perSecond: undefined, onApplied });
  fleet.start();
  return fleet;
}

function waitTable(lags: readonly number[]): string {
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1)} ms`;
  const verdict = sorted.every((lag) => lag <= goalMs) ? "kept" : "MISSED";
  const row = [String(proxies), String(lags.length), at(0.5), at(0.99), at(1), `${goalMs} ms: ${verdict}`];
  return benchTable(["proxies", "edits", "last ACK to end of wait: half", "p99", "largest", "goal"], [row]);
}

/** The first and the last row differ only by chance: a smaller difference of the others is none. */
function costTable({
  plain,
  unused,
  logged,
  again,
}: Readonly<Record<"plain" | "unused" | "logged" | "again", Figures>>): string {
  const row = (name: string, { cpuMs }: Figures) => [name, `${cpuMs.toFixed(1)} ms`];
  return benchTable(
    ["server", "CPU per edit"],
    [
      row("default settings", plain),
      row("with a store of rollouts and a Prometheus, and no rollout", unused),
      row("with a history", logged),
      row("default settings again", again),
    ],
  );
}
