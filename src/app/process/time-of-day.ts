import type { Clock } from "../../lib/time/clock.ts";

/** When something was that the clock noted: it only knows how long ago that was. */
export function timeOfDay(clock: Clock): (clockMs: number) => Date {
  return (clockMs) => new Date(Date.now() - (clock.now() - clockMs));
}
