import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** How long work may run before sockets and timers get their turn. */
const everyMs = 5;

/**
 * Creates a pause for work in many small steps, which awaits it between two steps. Mostly the pause resolves at once.
 * When the work has run for long enough, the pause yields to the event loop, or as `pause` does.
 */
export function createTurn(clock: Clock, pause: () => Promise<unknown> = setImmediate): () => Promise<void> {
  let lastTurnAt = clock.now();
  return async () => {
    if (clock.now() - lastTurnAt < everyMs) return;
    await pause();
    lastTurnAt = clock.now();
  };
}
