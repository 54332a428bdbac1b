import { expect, test } from "vitest";
import { grpcRetryPolicyOf } from "./grpc-retry-policy.ts";

test("by default, calls that did not reach the application are retried twice", () => {
  expect(grpcRetryPolicyOf()).toEqual({ retryOn: "unavailable,cancelled", numRetries: 2, retryBackOff: undefined });
});

test.each([
  ["5xx, unavailable,503,internal", "unavailable,internal"],
  ["", "unavailable,cancelled"],
  ["deadline-exceeded,resource-exhausted", "deadline-exceeded,resource-exhausted"],
])("of the conditions %o gRPC receives %o", (retryOn, understood) => {
  expect(grpcRetryPolicyOf({ attempts: 3, retryOn, backoff: undefined })).toMatchObject({
    retryOn: understood,
    numRetries: 3,
  });
});

test.each([
  { attempts: 0, retryOn: "unavailable", backoff: undefined },
  { attempts: 3, retryOn: "connect-failure,503", backoff: undefined },
])("%o is omitted: gRPC would reject it, or never retry", (policy) => {
  expect(grpcRetryPolicyOf(policy)).toBeUndefined();
});

test.each([
  [0, 10_000_000],
  [1_000_000, 10_000_000],
  [20_000_000, 20_000_000],
])("a pause of %i ns becomes one of %i", (nanos, expected) => {
  const policy = { attempts: 1, retryOn: "", backoff: { seconds: 0n, nanos } };
  expect(grpcRetryPolicyOf(policy)?.retryBackOff).toEqual({ baseInterval: { seconds: 0n, nanos: expected } });
});

test("a pause of whole seconds stays as it is", () => {
  const backoff = { seconds: 2n, nanos: 0 };
  expect(grpcRetryPolicyOf({ attempts: 1, retryOn: "", backoff })?.retryBackOff).toEqual({ baseInterval: backoff });
});
