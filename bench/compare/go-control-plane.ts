import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../../scripts/peer.ts";
import { Child } from "../../test/e2e/support/child.ts";
import { binnacleWith, type Contestant, type RunningServer } from "./contestants.ts";
import { type RecordedResponse, type RecordedRound, recordRound } from "./recording.ts";
import type { Workload } from "./workloads.ts";

/**
 * A server made with go-control-plane, which serves our resources from its snapshot cache. It generates nothing, so it shows
 * the cost of the protocol in that library. It has no virtual hosts as resources of their own.
 */
export async function goControlPlaneOf(workload: Workload, round: RecordedRound): Promise<Contestant & Disposable> {
  const executable = await peerPath("go-control-plane");
  const folder = mkdtempSync(join(tmpdir(), "binnacle-go-control-plane-"));
  const file = join(folder, "recording.json");
  const { mode, first, edits } = await recordRound(workload, { ...round, contestant: binnacleWith(["--vhds", "off"]) });
  const byKey = Object.fromEntries(Array.from(edits, ([key, responses]) => [key, responses.map(asJson)]));
  writeFileSync(file, JSON.stringify({ mode, first: first.map(asJson), edits: byKey }));
  return {
    name: "go-control-plane",
    unanswered: unanswered[mode],
    start: () => startServer(executable, file),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/**
 * In state of the world, the library sends nothing to a proxy that comes back with current versions. In delta, it does not send
 * the endpoints of a changed cluster again, for which Envoy waits before it acknowledges the cluster.
 */
const unanswered = { sotw: new Set(["reconnect"]), delta: new Set(["DestinationRule edit"]) } as const;

function asJson({ typeUrl, bytes }: RecordedResponse) {
  return { typeUrl, bytes: Buffer.from(bytes).toString("base64") };
}

async function startServer(executable: string, file: string): Promise<RunningServer> {
  const child = new Child(executable, [file], { listens: true });
  const [port] = await child.line(/^\d+$/u, { seconds: 60 });
  return {
    xdsPort: Number(port),
    pid: child.pid ?? 0,
    edited: (key) => child.say(key),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}
