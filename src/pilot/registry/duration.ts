import type { Duration } from "../model/duration.ts";

/** A duration of a message as a plain value of the model. */
export function durationOf(duration: Duration | undefined): Duration | undefined {
  return duration === undefined ? undefined : { seconds: duration.seconds, nanos: duration.nanos };
}
