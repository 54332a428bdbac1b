import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports that the system assigns to servers and to every new connection. Another process could take
 * an ephemeral port before the test uses it.
 */
const range = { from: 20_000, to: 32_000 };
const attempts = 100;

/** A free port on loopback, for listeners whose port is in the configuration. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(range.from, range.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${attempts} ports between ${range.from} and ${range.to} is free`);
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
