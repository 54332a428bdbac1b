import { AnySchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import type { Fault } from "../../model/traffic/virtual-service.ts";
import { faultConfig } from "./fault.ts";

const writer = new ProtoWriter();
const delay: Fault["delay"] = {
  duration: { seconds: 3n, nanos: 500_000_000 },
  fraction: { numerator: 125_000, denominator: 1_000_000 },
};
const abort: Fault["abort"] = { status: { type: "http", code: 418 }, fraction: { numerator: 5, denominator: 100 } };

const delayed = { fixedDelay: "3.500s", percentage: { numerator: 125_000, denominator: "MILLION" } };

test.each<[string, Fault, object]>([
  ["a delay", { delay, abort: undefined }, { delay: delayed }],
  ["an abort", { delay: undefined, abort }, { abort: { httpStatus: 418, percentage: { numerator: 5 } } }],
  [
    "both, the abort with a gRPC status",
    { delay, abort: { ...abort, status: { type: "grpc", code: 14 } } },
    { delay: delayed, abort: { grpcStatus: 14, percentage: { numerator: 5 } } },
  ],
  [
    "an abort of nothing, which gRPC clients want to be said",
    { delay: undefined, abort: { ...abort, fraction: { numerator: 0, denominator: 100 } } },
    { abort: { httpStatus: 418, percentage: {} } },
  ],
])("%s", (_, fault, expected) => {
  const type = "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault";
  expect(decodedMessage(AnySchema, faultConfig(fault, writer))).toEqual({ "@type": type, ...expected });
});

test("a fault is encoded once for all routes that have it", () => {
  const fault = { delay, abort };
  expect(faultConfig(fault, writer)).toBe(faultConfig(fault, writer));
});
