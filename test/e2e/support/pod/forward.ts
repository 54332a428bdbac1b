import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "./pod.ts";

/**
 * Makes a port of this machine's loopback interface available at the same port of the pod's loopback interface. A
 * socket file connects the two networks.
 */
export async function forwardToMachine(pod: Pod, port: number): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-forward-"));
  const file = join(folder, "socket");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
    }
  });
  server.listen(file);
  await once(server, "listening");
  const relay = pod.start(process.execPath, [join(import.meta.dirname, "relay.ts"), String(port), file]);
  await relay.line(/^ready$/u, { seconds: 30 });
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
