import type { HTTPRetry } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { errorUnless, type Finding } from "../../finding.ts";
import { notNegative, positiveDuration } from "../../rules/amount.ts";

/** The conditions of Envoy's `x-envoy-retry-on` and `x-envoy-retry-grpc-on`. */
const conditions: ReadonlySet<string> = new Set([
  "5xx",
  "cancelled",
  "connect-failure",
  "deadline-exceeded",
  "envoy-ratelimited",
  "gateway-error",
  "http3-post-connect-failure",
  "internal",
  "refused-stream",
  "reset",
  "reset-before-request",
  "resource-exhausted",
  "retriable-4xx",
  "retriable-headers",
  "retriable-status-codes",
  "unavailable",
]);

export function retryPolicy(retries: HTTPRetry | undefined, path: string): readonly Finding[] {
  if (retries === undefined) return [];
  const { attempts, perTryTimeout, retryOn, backoff, retryRemoteLocalities } = retries;
  const idle = attempts === 0 && ((perTryTimeout ?? retryRemoteLocalities) !== undefined || retryOn !== "");
  return [
    ...notNegative(attempts, `${path}.attempts`),
    ...errorUnless(!idle, path, {
      code: "useless-field",
      message: "perTryTimeout, retryOn and retryRemoteLocalities have no effect without attempts",
      hint: "set attempts to 1 or more",
    }),
    ...positiveDuration(perTryTimeout, `${path}.perTryTimeout`),
    ...positiveDuration(backoff, `${path}.backoff`),
    ...retryConditions(retryOn, `${path}.retryOn`),
  ];
}

function retryConditions(retryOn: string, path: string): readonly Finding[] {
  const items = retryOn === "" ? [] : retryOn.split(",").map((item) => item.trim());
  return items.flatMap((item) =>
    errorUnless(conditions.has(item) || /^[1-5]\d\d$/u.test(item), path, {
      code: "unknown-value",
      message: `"${item}" is not a condition for retries`,
      hint: "a condition is an HTTP status or one of Envoy's names, such as 5xx or connect-failure",
    }),
  );
}
