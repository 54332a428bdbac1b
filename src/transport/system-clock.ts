import type { Clock } from "../lib/time/clock.ts";

/** The system clock. Its timers do not keep the process alive; servers and watchers do. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
