import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** How long work may go on before sockets and timers get their turn. */
const everyMs = 5;

/**
 * A pause for work that comes in many small steps and is awaited between two of them: mostly it resolves at once, and
 * when the work has run for long enough it lets the event loop go round.
 */
export function createTurn(clock: Clock): () => Promise<void> {
  let lastTurnAt = clock.now();
  return async () => {
    if (clock.now() - lastTurnAt < everyMs) return;
    await setImmediate();
    lastTurnAt = clock.now();
  };
}
