import type { ServerHttp2Session } from "node:http2";

/** The jitter of the maximum age. Connections that were opened together do not end together. */
const jitter = 0.1;

/** Calls `retire` when a session reaches about `maxAgeMs`. 0 disables the limit. */
export function limitAge(session: ServerHttp2Session, maxAgeMs: number, retire: () => void): void {
  if (maxAgeMs === 0) return;
  const ageMs = jittered(maxAgeMs, Math.random());
  const timer = setTimeout(retire, ageMs).unref();
  session.once("close", () => clearTimeout(timer));
}

/** `chance` is between 0 and 1. */
export function jittered(ms: number, chance: number): number {
  return ms * (1 - jitter + 2 * jitter * chance);
}
