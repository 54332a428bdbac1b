import { statSync } from "node:fs";
import { checkProbeFile } from "../../../../src/admin/probes/check-probe-file.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { binnacle } from "../../support/binnacle/command.ts";
import { ask } from "../../support/http.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { metric } from "../../support/metrics.ts";
import type { Fault } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { SmallDisk, smallDiskUnavailable } from "./small-disk.ts";
import { writtenFiles } from "./written-files.ts";

/** The server writes all of its files to this disk. */
function flagsFor({ path }: SmallDisk): readonly string[] {
  return Object.values(writtenFiles).flatMap(({ flags }) => flags(path));
}

async function rotate({ process }: FaultedServer): Promise<number> {
  return (await ask("POST", process.httpPort, "/debug/ca/rotation", { body: "command=rotate" })).status;
}

/** Waits until the readiness file is fresh again. */
async function untilReady(disk: SmallDisk, { process }: FaultedServer): Promise<void> {
  const file = disk.seen(process.pid, "ready");
  const isFresh = () => checkProbeFile({ file, intervalMs: 1_000, now: Date.now() }) === undefined;
  await eventually("the readiness file is fresh", isFresh, { seconds: 10 });
}

function logBytes(disk: SmallDisk, { process }: FaultedServer): number {
  return statSync(disk.seen(process.pid, "log")).size;
}

/** The server refuses to replace its roots, and can do it later. */
async function rotationsOf(server: FaultedServer, during: "refused" | "accepted"): Promise<readonly string[]> {
  const status = await rotate(server);
  const isRefused = status >= 400;
  return isRefused === (during === "refused") ? [] : [`a rotation of roots was answered with ${status}`];
}

/** Disks that take no data, for every file of `written-files.ts`. */
export const diskFaults: readonly Fault[] = [
  {
    name: "a full disk",
    effect:
      "Proxies are served. Log lines wait in memory until there is room; beyond 1 MiB they are dropped and counted (`binnacle_log_dropped_lines_total`). A rotation of the authority's roots fails with the reason, and the old roots stay.",
    bound: { seconds: 5 },
    unavailable: smallDiskUnavailable,
    async run() {
      using disk = new SmallDisk("with the log");
      await using server = await FaultedServer.start({ within: disk.within, args: flagsFor(disk) });
      const { pid } = server.process;
      disk.fill(pid);
      const refused = await rotationsOf(server, "refused");
      server.edit();
      await server.recovered({ seconds: 20 });
      const logged = logBytes(disk, server);
      disk.empty(pid);
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      await eventually("the log goes on", () => logBytes(disk, server) > logged, { seconds: 20 });
      await untilReady(disk, server);
      return await server.outcome(seconds, [
        ...refused,
        ...(await rotationsOf(server, "accepted")),
        ...server.endedStreams,
      ]);
    },
  },
  {
    name: "a read-only disk",
    effect:
      "Proxies are served. The probe files grow old, so that a supervisor notices; the log and `binnacle_part_failures_total` say why. The old roots of the authority stay. With a writable disk all files are written again.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: smallDiskUnavailable,
    async run() {
      using disk = new SmallDisk("empty");
      await using server = await FaultedServer.start({ within: disk.within, args: flagsFor(disk) });
      const { pid, metricsPort } = server.process;
      disk.remount(pid, "ro");
      for (const part of ["readiness-file", "liveness-file"]) {
        const counted = async () => (await metric(metricsPort, "binnacle_part_failures_total", `part="${part}"`)) > 0;
        await eventually(`the failure of ${part} is counted`, counted, { seconds: 60 });
      }
      const refused = await rotationsOf(server, "refused");
      server.edit();
      await server.recovered({ seconds: 20 });
      disk.remount(pid, "rw");
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      await untilReady(disk, server);
      return await server.outcome(seconds, [
        ...refused,
        ...(await rotationsOf(server, "accepted")),
        ...server.endedStreams,
      ]);
    },
  },
  {
    name: "a start with a full or a read-only disk",
    effect: "The server does not start. It ends with an error that names the file.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: smallDiskUnavailable,
    async run() {
      const findings: string[] = [];
      let worst = 0;
      using mesh = new MeshDir();
      for (const kind of ["full", "read-only"] as const) {
        using disk = new SmallDisk(kind);
        const startedAt = performance.now();
        const ports = ["--xds", "127.0.0.1:0", "--http", "off", "--metrics", "off", "--ctrlz", "off"];
        await using child = binnacle(["serve", mesh.path, ...ports, ...flagsFor(disk)], { within: disk.within });
        const code = await child.exited;
        worst = Math.max(worst, (performance.now() - startedAt) / 1000);
        const says = child.log().includes(disk.path);
        if (code === 0 || !says) findings.push(`${kind}: exit ${code}: ${child.log()}`);
      }
      return { recoverySeconds: worst, lost: 0, findings };
    },
  },
];
