import { eventually } from "../../../../src/testing/eventually.ts";
import { binnacle } from "../../support/binnacle/command.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { metric } from "../../support/metrics.ts";
import type { Fault } from "../fault.ts";
import { SmallDisk, smallDiskUnavailable } from "./small-disk.ts";
import { configureWithoutSpace } from "./writing-command.ts";
import { flagsFor, WritingServer } from "./writing-server.ts";

/** Disks that take no data, for every file of `written-files.ts`. */
export const diskFaults: readonly Fault[] = [
  {
    name: "a full disk",
    effect:
      "Proxies are served. Log lines wait in memory until there is room; beyond 1 MiB they are dropped and counted (`binnacle_log_dropped_lines_total`). A rotation of the authority's roots fails with the reason, and the old roots stay. Refused objects are kept away, and stored when there is room.",
    bound: { seconds: 5 },
    unavailable: smallDiskUnavailable,
    async run() {
      using disk = new SmallDisk("with the log");
      await using writing = await WritingServer.start(disk);
      const { server } = writing;
      const { pid } = server.process;
      disk.fill(pid);
      const during = await writing.writeInVain();
      server.edit();
      await server.recovered({ seconds: 20 });
      disk.empty(pid);
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      const after = await writing.writeAgain();
      return await server.outcome(seconds, [...during, ...after, ...server.endedStreams]);
    },
  },
  {
    name: "a read-only disk",
    effect:
      "Proxies are served. The probe files grow old, so that a supervisor notices; the log and `binnacle_part_failures_total` say why. The old roots of the authority stay. Refused objects are kept away. With a writable disk all files are written again.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: smallDiskUnavailable,
    async run() {
      using disk = new SmallDisk("empty");
      await using writing = await WritingServer.start(disk);
      const { server } = writing;
      const { pid, metricsPort } = server.process;
      disk.remount(pid, "ro");
      for (const part of ["readiness-file", "liveness-file"]) {
        const counted = async () => (await metric(metricsPort, "binnacle_part_failures_total", `part="${part}"`)) > 0;
        await eventually(`the failure of ${part} is counted`, counted, { seconds: 60 });
      }
      const during = await writing.writeInVain();
      server.edit();
      await server.recovered({ seconds: 20 });
      disk.remount(pid, "rw");
      server.edit();
      const seconds = await server.recovered({ seconds: 20 });
      const after = await writing.writeAgain();
      return await server.outcome(seconds, [...during, ...after, ...server.endedStreams]);
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
  {
    name: "a command that writes files to a full or a read-only disk",
    effect: "The command fails with an error that names the directory. It leaves no part of the files behind.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: smallDiskUnavailable,
    run: configureWithoutSpace,
  },
];
