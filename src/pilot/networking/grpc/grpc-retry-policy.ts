import type { Duration } from "../../model/duration.ts";
import type { RetryPolicy } from "../../model/traffic/virtual-service.ts";

/** The conditions that gRPC knows; it ignores all others. */
const known: ReadonlySet<string> = new Set([
  "cancelled",
  "deadline-exceeded",
  "internal",
  "resource-exhausted",
  "unavailable",
]);
const byDefault = { attempts: 2, retryOn: "unavailable,cancelled", backoff: undefined };
const shortestBackoff: Duration = { seconds: 0n, nanos: 10_000_000 };

/** The part of a policy that gRPC understands; undefined for "never again", also when no condition is left. */
export function grpcRetryPolicyOf(policy: Pick<RetryPolicy, "attempts" | "retryOn" | "backoff"> = byDefault) {
  const { attempts, retryOn, backoff } = policy;
  const conditions = (retryOn || byDefault.retryOn).split(",").map((condition) => condition.trim());
  const understood = conditions.filter((condition) => known.has(condition));
  if (attempts <= 0 || understood.length === 0) return undefined;
  return {
    retryOn: understood.join(","),
    numRetries: attempts,
    retryBackOff: backoff === undefined ? undefined : { baseInterval: atLeast(shortestBackoff, backoff) },
  };
}

/** Clients reject the route for an interval of zero, and the C core was seen to lose calls over one of a millisecond. */
function atLeast(least: Duration, duration: Duration): Duration {
  return duration.seconds > 0n || duration.nanos >= least.nanos ? duration : least;
}
