import type { Clock } from "../lib/time/clock.ts";

/**
 * The clock of commands. Its timers keep the process alive: a command that waits for its next look at a server is not done,
 * and may have no open connection.
 */
export const waitingClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
