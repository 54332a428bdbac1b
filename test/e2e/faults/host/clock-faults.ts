import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { TempTree } from "../../../../src/testing/temp-tree.ts";
import { atScale } from "../../support/scale.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { FakedTime, fakedTimeUnavailable } from "./faked-time.ts";
import { writtenFiles } from "./written-files.ts";

const hour = 3_600;
/** A quiet second after each jump: timers that fire in floods show in responses and in CPU time. */
const quietMs = atScale({ quick: 1_000, whole: 5_000 });

async function jumped(clocks: "wall" | "both", offsets: readonly number[]): Promise<FaultOutcome> {
  using time = await FakedTime.create(clocks);
  await using tree = new AsyncDisposableStack();
  const folder = await TempTree.create();
  tree.defer(() => folder.close());
  const files = Object.values(writtenFiles).flatMap(({ flags }) => flags(folder.directory));
  // A jump ahead makes every connection old.
  const args = [...files, "--max-connection-age", "0s"];
  await using server = await FaultedServer.start({ env: time.env, args });
  const roots = rootsIn(folder);
  const findings: string[] = [];
  let worst = 0;
  for (const offset of offsets) {
    const before = { responses: responsesOf(server), cpu: server.process.cpuSeconds };
    time.jump(offset);
    await pause(quietMs);
    const responses = responsesOf(server) - before.responses;
    if (responses > 0) findings.push(`${responses} responses after a jump to ${offset} s`);
    const cpu = server.process.cpuSeconds - before.cpu;
    if (cpu > quietMs / 2000) findings.push(`${cpu} s of CPU time after a jump to ${offset} s`);
    server.edit();
    worst = Math.max(worst, await server.recovered({ seconds: 20 }));
  }
  if (rootsIn(folder) !== roots) findings.push(`the roots changed from ${roots} to ${rootsIn(folder)}`);
  return await server.outcome(worst, [...findings, ...server.endedStreams]);
}

function rootsIn(folder: TempTree): string {
  return readdirSync(folder.path("state")).toSorted().join(" ");
}

function responsesOf({ fleet }: FaultedServer): number {
  return Object.values(fleet.responses).reduce((sum, { responses }) => sum + responses, 0);
}

/** Clocks that jump. */
export const clockFaults: readonly Fault[] = [
  {
    name: "a clock that jumps back and forth by hours",
    effect:
      "Streams stay open, and edits arrive as fast as before. No timer fires early or twice. The roots of the authority stay.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: fakedTimeUnavailable,
    run: () => jumped("wall", [-hour, hour, -24 * hour, 24 * hour, 0]),
  },
  {
    name: "a monotonic clock that jumps ahead by hours, as after the suspension of a virtual machine",
    effect:
      "Every timer that became due fires once. Streams whose ping is overdue for this reason stay open. Streams older than `--max-connection-age` end, and proxies connect again.",
    bound: { seconds: 5 },
    form: "whole",
    unavailable: fakedTimeUnavailable,
    run: () => jumped("both", [hour, 2 * hour, 26 * hour]),
  },
];
