import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RetryPolicySchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { RetryPolicy } from "../../../model/traffic/virtual-service.ts";
import { buildRetryPolicy } from "./retry-policy.ts";

const writer = new ProtoWriter();

function decoded(changes: Partial<RetryPolicy>, sticky = false) {
  const policy = {
    attempts: 1,
    perTryTimeout: undefined,
    retryOn: "",
    remoteLocalities: false,
    ignorePreviousHosts: undefined,
    backoff: undefined,
    ...changes,
  };
  const bytes = buildRetryPolicy(policy, sticky, writer);
  return bytes === undefined ? undefined : fromBinary(RetryPolicySchema, bytes);
}

test.each([
  ["", "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes", []],
  ["5xx,503, reset", "5xx,reset,retriable-status-codes", [503]],
  ["503,retriable-status-codes", "retriable-status-codes", [503]],
  ["gateway-error", "gateway-error", []],
])("retryOn %j becomes %j and status codes %j", (retryOn, expected, codes) => {
  expect(decoded({ retryOn })).toMatchObject({ retryOn: expected, retriableStatusCodes: codes });
});

test("no attempts means no policy", () => {
  expect(decoded({ attempts: 0 })).toBeUndefined();
});

test("the default policy is encoded once for all routes", () => {
  expect(buildRetryPolicy(undefined, false, writer)).toBe(buildRetryPolicy(undefined, false, writer));
});

test.each<[string, boolean | undefined, boolean, number]>([
  ["elsewhere first", undefined, false, 1],
  ["where requests stay, for requests that stay somewhere", undefined, true, 0],
  ["elsewhere first if the author says so", true, true, 1],
  ["anywhere if the author says so", false, false, 0],
])("retries go %s", (_, ignorePreviousHosts, sticky, predicates) => {
  expect(decoded({ ignorePreviousHosts }, sticky)?.retryHostPredicate).toHaveLength(predicates);
});

test("other localities and the interval between attempts follow the author's settings", () => {
  const backoff = { seconds: 0n, nanos: 5_000_000 };
  expect(decoded({ remoteLocalities: true, backoff })).toMatchObject({
    retryPriority: { name: "envoy.retry_priorities.previous_priorities" },
    retryBackOff: { baseInterval: backoff },
  });
});

test("a pause of nothing is none: Envoy would refuse it", () => {
  expect(decoded({ backoff: { seconds: 0n, nanos: 0 } })?.retryBackOff).toBeUndefined();
});
