import type { Duration } from "@bufbuild/protobuf/wkt";
import { error, errorUnless, type Finding } from "../finding.ts";
import { durationToMs } from "../grammar/duration.ts";

/** A duration of at least a millisecond, in whole milliseconds. May be absent. */
export function positiveDuration(duration: Duration | undefined, path: string): readonly Finding[] {
  if (duration === undefined) return [];
  const ms = durationToMs(duration);
  return [
    ...errorUnless(ms >= 1 && Number.isInteger(ms), path, {
      code: "bad-duration",
      message: `expected at least 1ms, in whole milliseconds, found ${ms}ms`,
      ...(ms === 0 && { hint: "remove it to use the default" }),
    }),
    ...envoyDuration(duration, path),
  ];
}

/** Envoy counts nanoseconds in 64 bits, and refuses larger values. */
const maxSeconds = 9_223_372_035n;

/** A duration within Envoy's range. May be absent. */
export function envoyDuration(duration: Duration | undefined, path: string): readonly Finding[] {
  return errorUnless(
    duration === undefined || (duration.seconds <= maxSeconds && duration.seconds >= 0n && duration.nanos >= 0),
    path,
    {
      code: "bad-duration",
      message: `expected 0s to ${maxSeconds}s, found ${duration?.seconds}s`,
    },
  );
}

/** A duration that Envoy reads as whole seconds, in 32 bits. May be absent. */
export function wholeSeconds(duration: Duration | undefined, path: string): readonly Finding[] {
  return [
    ...positiveDuration(duration, path),
    ...errorUnless(duration === undefined || duration.seconds < 2n ** 32n, path, {
      code: "bad-duration",
      message: `expected less than 4294967296s, found ${duration?.seconds}s`,
    }),
  ];
}

export function percentage(value: number | undefined, path: string): readonly Finding[] {
  return errorUnless(value === undefined || (value >= 0 && value <= 100), path, {
    code: "bad-percentage",
    message: `a percentage is between 0 and 100, not ${value}`,
  });
}

/** A share of requests. Envoy counts in millionths. */
export function share(value: number | undefined, path: string): readonly Finding[] {
  const tooSmall = value !== undefined && value > 0 && value < 0.0001;
  if (!tooSmall) return percentage(value, path);
  const message = `the smallest percentage is 0.0001, not ${value}`;
  return [error(path, { code: "bad-percentage", message })];
}

export function notNegative(value: number | undefined, path: string): readonly Finding[] {
  return errorUnless(value === undefined || value >= 0, path, {
    code: "negative-value",
    message: `must not be negative, found ${value}`,
  });
}
