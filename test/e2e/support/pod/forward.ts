import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "./pod.ts";
import { relay } from "./relay.ts";

/**
 * Makes a port of this machine's loopback interface available at the same port of the pod's loopback interface. A
 * socket file connects the two networks.
 */
export async function forwardToMachine(pod: Pod, port: number): Promise<AsyncDisposable> {
  return await connected(async (file) => {
    const server = await relay(file, port);
    await startRelay(pod, port, file);
    return server;
  });
}

/** The opposite: makes a port of the pod's loopback interface available at the same port of this machine's. */
export async function forwardToPod(pod: Pod, port: number): Promise<AsyncDisposable> {
  return await connected(async (file) => {
    await startRelay(pod, file, port);
    return await relay(port, file);
  });
}

async function connected(open: (file: string) => Promise<AsyncDisposable>): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-forward-"));
  const server = await open(join(folder, "socket"));
  return {
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The process ends with the pod. */
async function startRelay(pod: Pod, from: number | string, to: number | string): Promise<void> {
  const script = join(import.meta.dirname, "relay-process.ts");
  const child = pod.start(process.execPath, [script, String(from), String(to)]);
  await child.line(/^ready$/u, { seconds: 30 });
}
