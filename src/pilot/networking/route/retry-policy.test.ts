import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RetryPolicySchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { RetryPolicy } from "../../model/virtual-service.ts";
import { retryPolicyOf } from "./retry-policy.ts";

const writer = new ProtoWriter();

function decoded(changes: Partial<RetryPolicy>) {
  const policy = {
    attempts: 1,
    perTryTimeout: undefined,
    retryOn: "",
    remoteLocalities: false,
    ignorePreviousHosts: true,
    backoff: undefined,
    ...changes,
  };
  const bytes = retryPolicyOf(policy, writer);
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
  expect(retryPolicyOf(undefined, writer)).toBe(retryPolicyOf(undefined, writer));
});
