import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf } from "../../../src/lib/errors.ts";

/**
 * Below the ephemeral ports that the system assigns to servers and to every new connection. Another process could take
 * an ephemeral port before the test uses it.
 */
const below = { from: 20_000, to: 32_000 };
const attempts = 100;

/**
 * A free port on loopback, for listeners whose port is in the configuration. No other call gets this port, in any process,
 * until this process ends. Two Envoys can listen on the same port, and the system divides the connections between them.
 */
export async function freePort(range = below): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(range.from, range.to);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
  throw new Error(`none of ${attempts} ports between ${range.from} and ${range.to} is free`);
}

/** The claim is an abstract Unix socket of Linux: only one process can have this name, and it ends with the process. */
async function claim(port: number): Promise<boolean> {
  const holder = createServer()
    .unref()
    .listen({ path: `\0binnacle-test-port-${port}` });
  try {
    await once(holder, "listening");
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== "EADDRINUSE") throw thrown;
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    await server[Symbol.asyncDispose]();
    return true;
  } catch {
    return false;
  }
}
