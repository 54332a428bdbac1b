import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serialize } from "node:v8";
import type { Contestant, RunningServer } from "./contestants.ts";
import { type RecordedRound, recordRound } from "./recording.ts";
import type { Workload } from "./workloads.ts";

/** Sends the bytes that our server sent to one proxy, over our transport, and computes nothing: the limit of our design. */
export async function replayOf(workload: Workload, round: RecordedRound): Promise<Contestant & Disposable> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-replay-"));
  const file = join(folder, "recording");
  writeFileSync(file, serialize(await recordRound(workload, round)));
  return {
    name: "replay",
    start: () => startReplay(file),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

async function startReplay(file: string): Promise<RunningServer> {
  const child = fork(join(import.meta.dirname, "../replay-run.ts"), [file], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [address] = (await once(child, "message")) as readonly string[];
  return {
    xdsPort: Number(address?.split(":").at(-1)),
    pid: child.pid ?? 0,
    edited: (key) => void child.send(key),
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await once(child, "exit");
    },
  };
}
