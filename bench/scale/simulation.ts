import { setTimeout as pause } from "node:timers/promises";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { type BinnacleProcess, startServer } from "../../test/e2e/support/binnacle/server.ts";
import { Etcd } from "../../test/e2e/support/registry/etcd.ts";
import { benchTable } from "../bench-table.ts";
import { cpuSecondsOf, memoryOf } from "../compare/process-figures.ts";
import { Balancer } from "./balancer.ts";
import { fillStore, putObject } from "./store.ts";
import { unedited, w1Namespaces, w1Objects } from "../w1.ts";

const replicas = 4;
/** A fleet is quiet when nothing has come for so long. */
const quietMs = 3_000;
const mostMs = 240_000;

/** Runs all stages, and returns their table. */
export async function simulate(proxies: number): Promise<string> {
  await using etcd = await Etcd.start();
  await fillStore(etcd, w1Objects(unedited));
  await using closing = new AsyncDisposableStack();
  const servers: BinnacleProcess[] = [];
  for (let index = 0; index < replicas; index += 1) servers.push(closing.use(await replica(etcd)));
  const balancer = closing.use(await Balancer.start(servers.map(({ xdsPort }) => xdsPort)));
  const fleet = new Fleet({
    address: { host: "127.0.0.1", port: balancer.port },
    members: membersOf(proxies),
    perSecond: 100,
  });
  closing.defer(() => fleet.stop());
  const stages: Stages = { fleet, proxies, servers, rows: [] };
  await stage(stages, "first sync", () => fleet.start());
  await stage(stages, "VirtualService edit", () => putEdited(etcd, "VirtualService"));
  await stage(stages, "endpoint edit", () => putEdited(etcd, "ServiceEntry"));
  await stage(stages, "all proxies move to the next server", () => balancer.moveAll());
  await stage(stages, "one server ends", async () => {
    balancer.remove(0);
    await servers[0]?.stop();
  });
  const memory = servers.slice(1).map(({ pid }) => memoryOf(pid).nowMb);
  const table = benchTable(["stage", "last proxy", "CPU of all", "CPU of one", "sent per proxy"], stages.rows);
  return `${table}\n\n${proxies} proxies, ${replicas} servers, at most ${Math.round(Math.max(...memory))} MB each`;
}

async function replica(etcd: Etcd): Promise<BinnacleProcess> {
  const listeners = ["--xds", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "off", "--ctrlz", "off"];
  return await startServer(["serve", "--source", etcd.url("mesh"), ...listeners, "--log-level", "error"], {
    seconds: 120,
  });
}

function membersOf(proxies: number) {
  return fleetMembers({
    proxies,
    shares: { routers: 0, grpc: 0, delta: 1, slow: 0, nack: 0, reconnect: 0 },
    namespaces: w1Namespaces,
    routerLabels: {},
    targets: [],
    reconnectEveryMs: 1_000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

async function putEdited(etcd: Etcd, kind: string): Promise<void> {
  const edited = w1Objects({ ...unedited, weight: 70, thirdEndpoint: true });
  const object = edited.find((each) => each.kind === kind && each.metadata.name === "service-0");
  if (object === undefined) throw new Error(`no ${kind} is edited`);
  await putObject(etcd, object);
}

interface Stages {
  readonly fleet: Fleet;
  readonly proxies: number;
  readonly servers: readonly BinnacleProcess[];
  readonly rows: (readonly string[])[];
}

/** Until everybody is in sync and the fleet has become quiet. */
async function stage(
  { fleet, proxies, servers, rows }: Stages,
  name: string,
  act: () => void | Promise<void>,
): Promise<void> {
  process.stderr.write(`${name} …\n`);
  const cpuBefore = servers.map(({ pid }) => cpuSecondsOf(pid));
  const bytesBefore = bytesOf(fleet);
  const startedAt = performance.now();
  await act();
  for (let waitedMs = 0; ; waitedMs = performance.now() - startedAt) {
    await pause(quietMs / 10);
    const isQuiet = performance.now() - Math.max(fleet.lastResponseAt, startedAt) > quietMs;
    if (fleet.report.inSync === proxies && isQuiet) break;
    if (waitedMs > mostMs) throw new Error(`${name}: only ${fleet.report.inSync} proxies are in sync`);
  }
  const used = servers.map(({ pid }, index) => cpuNow(pid) - (cpuBefore[index] ?? 0));
  rows.push([
    name,
    `${((fleet.lastResponseAt - startedAt) / 1_000).toFixed(1)} s`,
    `${used.reduce((sum, each) => sum + Math.max(each, 0), 0).toFixed(2)} s`,
    `${Math.max(...used).toFixed(2)} s`,
    `${((bytesOf(fleet) - bytesBefore) / proxies / 1_000).toFixed(2)} kB`,
  ]);
}

/** A server that has ended uses nothing. */
function cpuNow(pid: number): number {
  try {
    return cpuSecondsOf(pid);
  } catch {
    return 0;
  }
}

function bytesOf(fleet: Fleet): number {
  return Object.values(fleet.report.types).reduce((sum, { bytes }) => sum + bytes, 0);
}
