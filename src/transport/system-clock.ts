import type { Clock } from "../lib/time/clock.ts";

/** The machine's time. Its timers keep no process alive: servers and watchers do that. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
