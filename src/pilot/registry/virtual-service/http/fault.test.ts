import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HTTPFaultInjectionSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Fault } from "../../../model/traffic/virtual-service.ts";
import { faultOf } from "./fault.ts";

type Init = MessageInitShape<typeof HTTPFaultInjectionSchema>;

const second = { seconds: 1n, nanos: 0 };
const fixed = { case: "fixedDelay", value: second } as const;
const teapot = { case: "httpStatus", value: 418 } as const;

function parts(numerator: number, denominator: 100 | 1_000_000 = 1_000_000) {
  return { numerator, denominator };
}

test.each<[string, Init, Partial<Fault>]>([
  [
    "a share of requests is delayed",
    { delay: { httpDelayType: fixed, percentage: { value: 12.5 } } },
    { delay: { duration: second, fraction: parts(125_000) } },
  ],
  [
    "a share as it was written once",
    { delay: { httpDelayType: fixed, percent: 7 } },
    { delay: { duration: second, fraction: parts(7, 100) } },
  ],
  [
    "a share that is no binary fraction",
    { delay: { httpDelayType: fixed, percentage: { value: 0.57 } } },
    { delay: { duration: second, fraction: parts(5700) } },
  ],
  ["no share is none", { delay: { httpDelayType: fixed } }, { delay: { duration: second, fraction: parts(0, 100) } }],
  [
    "a share of requests fails",
    { abort: { errorType: teapot, percentage: { value: 0.1 } } },
    { abort: { status: { type: "http", code: 418 }, fraction: parts(1000) } },
  ],
  [
    "a gRPC status has a number",
    { abort: { errorType: { case: "grpcStatus", value: "UNAVAILABLE" }, percentage: { value: 100 } } },
    { abort: { status: { type: "grpc", code: 14 }, fraction: parts(1_000_000) } },
  ],
  [
    "nobody fails unless it is said how many",
    { abort: { errorType: teapot } },
    { abort: { status: { type: "http", code: 418 }, fraction: parts(0, 100) } },
  ],
  [
    "what cannot be done is left out",
    { abort: { errorType: { case: "http2Error", value: "x" } }, delay: { httpDelayType: fixed } },
    { delay: { duration: second, fraction: parts(0, 100) } },
  ],
])("%s", (_, init, expected) => {
  const { delay, abort } = { delay: undefined, abort: undefined, ...expected };
  expect(faultOf(create(HTTPFaultInjectionSchema, init))).toEqual({ delay, abort });
});

test.each<[string, Init]>([
  ["nothing", {}],
  ["a delay by chance", { delay: { httpDelayType: { case: "exponentialDelay", value: second } } }],
  ["a status that Envoy refuses", { abort: { errorType: { case: "httpStatus", value: 600 } } }],
  ["a status nobody knows", { abort: { errorType: { case: "grpcStatus", value: "FINE" } } }],
])("a fault with %s is ignored", (_, init) => {
  expect(faultOf(create(HTTPFaultInjectionSchema, init))).toBeUndefined();
});
