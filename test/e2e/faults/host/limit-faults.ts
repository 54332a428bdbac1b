import { execFileSync } from "node:child_process";
import { create, toBinary } from "@bufbuild/protobuf";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { fleetMembers } from "../../../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../../../src/fleet/fleet.ts";
import { typeUrls } from "../../../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { grpcFrame, RawGrpcCaller } from "../../support/abuse/grpc-call.ts";
import { largeNode, requestOf } from "../../support/abuse/large-node.ts";
import { adsCall, FrameFlag, FrameType, http2Frame, RawHttp2 } from "../../support/abuse/raw-http2.ts";
import { type EnvoyNode, gatewayNode } from "../../support/envoy/bootstrap.ts";
import { metric } from "../../support/metrics.ts";
import { atScale } from "../../support/scale.ts";
import { sotw } from "../../support/xds/ads-client.ts";
import type { Fault } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { Cgroup, cgroupUnavailable } from "./cgroup.ts";

const rounds = atScale({ quick: 1, whole: 10 });
const memoryMb = 192;
const crowdedMb = 384;
const smallHeapMib = 160;
const crowdFiles = 60;
const crowdPerFile = 200;
/** HTTP/2's setting for the initial window of streams, with the value 0. */
const noWindow = Buffer.from([0, 4, 0, 0, 0, 0]);

/** A client that asks for all clusters. */
const subscription = http2Frame(
  FrameType.data,
  0,
  1,
  grpcFrame(
    toBinary(
      DiscoveryRequestSchema,
      create(DiscoveryRequestSchema, { node: nodeOf(gatewayNode), typeUrl: typeUrls.CDS }),
    ),
  ),
);

function nodeOf({ id, metadata }: EnvoyNode) {
  return { id, metadata: { ...metadata } };
}

/** Limits of the machine for the process: files, CPU time, memory. */
export const limitFaults: readonly Fault[] = [
  {
    name: "no more file descriptors (prlimit)",
    effect:
      "Connected proxies stay. New connections wait or are closed. The log says that files cannot be opened. Files that could not be read are read when there is room again.",
    bound: { seconds: 8 },
    async run() {
      await using server = await FaultedServer.start();
      await using clients = new AsyncDisposableStack();
      const { process } = server;
      limitFiles(process.pid, process.openFiles + 4);
      for (let opened = 0; opened < 40; opened++) clients.use(await RawHttp2.openBare(process.xdsPort));
      await eventually("every descriptor is in use", () => noFileCanBeOpened(process.pid, process.openFiles), {
        seconds: 20,
      });
      for (let round = 0; round < rounds; round++) server.edit();
      await process.logged(/EMFILE|too many open files/u);
      await clients.disposeAsync();
      limitFiles(process.pid, 4096);
      const seconds = await server.recovered({ seconds: 20 });
      return await server.outcome(seconds, server.endedStreams);
    },
  },
  {
    name: "a tenth of a core (cgroup)",
    effect: "Updates are late. Streams stay open, and edits are combined. Updates are fast again with the CPU time.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: () => cgroupUnavailable("cpu"),
    async run() {
      using group = new Cgroup("cpu");
      await using server = await FaultedServer.start();
      group.add(server.process.pid);
      group.limitCpu(10);
      for (let round = 0; round < rounds; round++) {
        server.edit();
        await server.recovered({ seconds: 60 });
      }
      server.edit();
      group.liftCpu();
      const seconds = await server.recovered({ seconds: 20 });
      return await server.outcome(seconds, server.endedStreams);
    },
  },
  {
    name: `${memoryMb} MB of memory (cgroup)`,
    effect:
      "The server refuses requests that are too large, and ends streams of clients that do not read. It stays below the limit, and connected proxies stay.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: () => cgroupUnavailable("memory"),
    async run() {
      using group = new Cgroup("memory");
      group.limitMemory(memoryMb << 20);
      await using server = await FaultedServer.start({ within: group.within });
      const { process } = server;
      await using clients = new AsyncDisposableStack();
      const caller = clients.use(await RawGrpcCaller.open(process.xdsPort));
      for (let opened = 0; opened < 200; opened++) {
        const client = clients.use(await RawHttp2.open(process.xdsPort, noWindow));
        await client.send(http2Frame(FrameType.headers, FrameFlag.endHeaders, 1, adsCall), subscription);
        if (opened >= 20) continue;
        const bytes = opened % 2 === 0 ? 4_000_000 : 250_000;
        const call = caller.call({ ":path": sotw.path });
        // The server may answer before it has read everything, and then it reads no more.
        const over = eventually("the call is over", () => call.over, { seconds: 20 });
        const sent = call.send(grpcFrame(requestOf(largeNode(gatewayNode.id, bytes), typeUrls.CDS)));
        await Promise.race([sent.then(() => call.end()), over]);
      }
      for (let round = 0; round < rounds; round++) {
        server.edit();
        await server.recovered({ seconds: 60 });
      }
      await clients.disposeAsync();
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      return await server.outcome(seconds, server.endedStreams);
    },
  },
  {
    name: `more objects than fit into ${crowdedMb} MB of memory (cgroup)`,
    effect:
      "New objects are left out, and the source is stale and says how many. Edits of known objects arrive, and connected proxies stay. After removals the rest is taken in.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: () => cgroupUnavailable("memory"),
    async run() {
      using group = new Cgroup("memory");
      group.limitMemory(crowdedMb << 20);
      await using server = await FaultedServer.start({ within: group.within });
      const { metricsPort } = server.process;
      const leftOut = () => metric(metricsPort, "binnacle_source_left_out_objects");
      for (let file = 0; file < crowdFiles; file++) server.write(`zz-${file}.yaml`, crowdOf(file));
      await eventually("objects that are left out", async () => (await leftOut()) > 0, { seconds: 60 });
      const left = await leftOut();
      for (let round = 0; round < rounds; round++) {
        server.edit();
        await server.recovered({ seconds: 60 });
      }
      for (let file = 0; file < crowdFiles; file++) server.remove(`zz-${file}.yaml`);
      await eventually("nothing that is left out", async () => (await leftOut()) === 0, { seconds: 60 });
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      const findings = left < (crowdFiles * crowdPerFile) / 2 ? [`only ${left} objects were left out`] : [];
      return await server.outcome(seconds, [...findings, ...server.endedStreams]);
    },
  },
  {
    name: `more proxies than fit into a heap of ${smallHeapMib} MiB`,
    effect:
      "The server refuses new proxies and says why. Connected proxies get edits. When others have left, it takes new ones again.",
    bound: { seconds: 5 },
    form: "whole",
    async run() {
      const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${smallHeapMib}` };
      const files = Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((file) => [`crowd-${file}.yaml`, crowdOf(file)]));
      await using server = await FaultedServer.start({ env, files });
      const { metricsPort, xdsPort } = server.process;
      const refused = () => metric(metricsPort, "binnacle_shed_work_total", 'class="streams"');
      using crowd = startCrowd(xdsPort);
      await server.process.logged(/the heap is 9\d % of \d+ MiB full/u);
      await eventually("a proxy that is refused", async () => (await refused()) > 0, { seconds: 60 });
      const { inSync } = crowd.fleet.report;
      for (let round = 0; round < rounds; round++) {
        server.edit();
        await server.recovered({ seconds: 60 });
      }
      crowd[Symbol.dispose]();
      using others = startCrowd(xdsPort, 20);
      await eventually("new proxies", () => others.fleet.report.inSync === 20, { seconds: 60 });
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      const outcome = await server.outcome(seconds, server.endedStreams);
      return { ...outcome, figure: `${inSync} proxies fit` };
    },
  },
];

/** Delta sidecars that connect again and again while they are refused. */
function startCrowd(port: number, size = 700): Disposable & { readonly fleet: Fleet } {
  const shares = { routers: 0, grpc: 0, delta: 1, slow: 0, nack: 0, reconnect: 0 };
  const names = { domain: "cluster.local", clusterId: "Kubernetes" };
  const rest = { namespaces: ["crowd"], routerLabels: {}, targets: [], reconnectEveryMs: 1000 };
  const members = fleetMembers({ proxies: size, shares, ...names, ...rest });
  const fleet = new Fleet({ address: { host: "127.0.0.1", port }, members, perSecond: 50 });
  fleet.start();
  return { fleet, [Symbol.dispose]: () => fleet.stop() };
}

/** Services that no generation has: far more than the server has memory for. */
function crowdOf(file: number): string {
  const objects = Array.from({ length: crowdPerFile }, (_, index) => ({
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name: `crowd-${file}-${index}`, namespace: "crowd" },
    spec: {
      hosts: [`crowd-${file}-${index}.example.com`],
      ports: [{ number: 9080, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      endpoints: [{ address: "10.2.0.1" }],
    },
  }));
  return objects.map((object) => JSON.stringify(object)).join("\n---\n");
}

function limitFiles(pid: number, count: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${count}:4096`]);
}

function noFileCanBeOpened(pid: number, openFiles: number): boolean {
  const limit = execFileSync("prlimit", [
    "--pid",
    String(pid),
    "--nofile",
    "--output",
    "SOFT",
    "--noheadings",
    "--raw",
  ]);
  return openFiles >= Number(limit.toString());
}
