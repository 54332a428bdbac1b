import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that the system hands out by itself, to servers that let it choose and to every connection that is
 * opened: one of those would be taken by somebody else before it is used.
 */
const range = { from: 20_000, to: 32_000 };
const attempts = 100;

/** A port on loopback that nobody listened on a moment ago: for listeners whose port stands in configuration. */
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
