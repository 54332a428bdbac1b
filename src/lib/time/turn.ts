import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** How long work may run before sockets and timers get their turn. */
const everyMs = 5;

/**
 * Creates a pause for work in many small steps, which awaits it between two steps. Mostly the pause resolves at once.
 * When the work has run for long enough, the pause yields to the event loop.
 */
export function createTurn(clock: Clock): () => Promise<void> {
  let lastTurnAt = clock.now();
  return async () => {
    if (clock.now() - lastTurnAt < everyMs) return;
    await setImmediate();
    lastTurnAt = clock.now();
  };
}
