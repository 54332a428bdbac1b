import type { ServerHttp2Session } from "node:http2";

/** How much earlier or later than told a connection is old: those that came together do not go together. */
const jitter = 0.1;

/** Calls `retire` when a session has lived for about `maxAgeMs`; 0 lets it live for ever. */
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
