import { RetryPolicySchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { PreviousHostsPredicateSchema } from "#gen/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.js";
import { PreviousPrioritiesConfigSchema } from "#gen/envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.js";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Duration } from "../../../model/duration.ts";
import type { RetryPolicy } from "../../../model/traffic/virtual-service.ts";

/** Retries that are safe for every request: it has not reached the application. */
const defaultPolicy: RetryPolicy = {
  attempts: 2,
  perTryTimeout: undefined,
  retryOn: "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes",
  remoteLocalities: false,
  ignorePreviousHosts: undefined,
  backoff: undefined,
};

const byStatusCode = "retriable-status-codes";

/**
 * The encoded policy, shared by all routes that have it; undefined for no retries.
 * @param sticky whether consistent hashing applies: then retries use the same endpoint, unless the author sets
 * otherwise
 */
export function buildRetryPolicy(
  policy: RetryPolicy = defaultPolicy,
  sticky: boolean,
  writer: ProtoWriter,
): Uint8Array | undefined {
  if (policy.attempts <= 0) return undefined;
  return encodePolicy([policy, writer], { avoidsPreviousHosts: policy.ignorePreviousHosts ?? !sticky });
}

/** One encoding for all routes with the same policy, such as the default one. */
const encodePolicy = memoize(
  (
    [policy, writer]: readonly [RetryPolicy, ProtoWriter],
    { avoidsPreviousHosts }: { readonly avoidsPreviousHosts: boolean },
  ): Uint8Array => {
    const { conditions, statusCodes } = conditionsOf(policy.retryOn);
    return writer.encode(RetryPolicySchema, {
      retryOn: conditions,
      numRetries: policy.attempts,
      perTryTimeout: policy.perTryTimeout,
      retryPriority: policy.remoteLocalities ? previousPriorities(writer) : undefined,
      retryHostPredicate: avoidsPreviousHosts ? [previousHosts(writer)] : [],
      hostSelectionRetryMaxAttempts: 5n,
      retriableStatusCodes: statusCodes,
      retryBackOff: isPositive(policy.backoff) ? { baseInterval: policy.backoff } : undefined,
    });
  },
);

/** Envoy rejects an interval of zero. */
function isPositive(duration: Duration | undefined): duration is Duration {
  return duration !== undefined && (duration.seconds > 0n || duration.nanos > 0);
}

/**
 * Users write status codes among the conditions. Envoy needs them in a separate field, and a condition that enables the
 * field.
 */
function conditionsOf(retryOn: string): { readonly conditions: string; readonly statusCodes: readonly number[] } {
  if (retryOn === "") return { conditions: defaultPolicy.retryOn, statusCodes: [] };
  const parts = retryOn.split(",").map((part) => part.trim());
  const statusCodes = parts.filter(isStatusCode).map(Number);
  const conditions = parts.filter((part) => part !== "" && !isStatusCode(part));
  if (statusCodes.length > 0 && !conditions.includes(byStatusCode)) conditions.push(byStatusCode);
  return { conditions: conditions.join(","), statusCodes };
}

function isStatusCode(text: string): boolean {
  return /^[1-5]\d\d$/.test(text);
}

function previousHosts(writer: ProtoWriter) {
  const value = writer.any(PreviousHostsPredicateSchema, {});
  return { name: "envoy.retry_host_predicates.previous_hosts", configType: { case: "typedConfig", value } as const };
}

function previousPriorities(writer: ProtoWriter) {
  const value = writer.any(PreviousPrioritiesConfigSchema, { updateFrequency: 2 });
  return { name: "envoy.retry_priorities.previous_priorities", configType: { case: "typedConfig", value } as const };
}
