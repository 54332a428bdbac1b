import { systemClock } from "../app/process/system-clock.ts";
import type { Clock } from "../lib/time/clock.ts";

const speed = 50;

/** The machine's time, in which a second passes within 20 ms: for servers on real sockets that do things now and then. */
export const quickClock: Clock = {
  now: () => systemClock.now() * speed,
  after: (ms, run) => systemClock.after(ms / speed, run),
};
