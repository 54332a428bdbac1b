import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Fault, FaultAbort, FaultDelay } from "../../model/traffic/virtual-service.ts";
import { fractionalPercentOf } from "../fractional-percent.ts";
import type { Filter } from "./filter.ts";

/** Injects the faults that routes configure; has no effect by itself. */
export const fault: Filter = {
  name: "envoy.filters.http.fault",
  appliesTo: () => true,
  config: (writer) => writer.any(HTTPFaultSchema, {}),
};

/** The filter's per-route configuration as an encoded Any. All routes and listeners with this fault share it. */
export function faultConfig(injected: Fault, writer: ProtoWriter): Uint8Array {
  return encodeFault([injected, writer]);
}

/** One encoding for sidecars and gateways. */
const encodeFault = memoize(([injected, writer]: readonly [Fault, ProtoWriter]) =>
  writer.any(HTTPFaultSchema, {
    delay: injected.delay === undefined ? undefined : delayOf(injected.delay),
    abort: injected.abort === undefined ? undefined : abortOf(injected.abort),
  }),
);

function delayOf({ duration, fraction }: FaultDelay) {
  return {
    faultDelaySecifier: { case: "fixedDelay", value: duration } as const,
    percentage: fractionalPercentOf(fraction),
  };
}

function abortOf({ status: { type, code }, fraction }: FaultAbort) {
  return {
    errorType: { case: type === "http" ? "httpStatus" : "grpcStatus", value: code } as const,
    percentage: fractionalPercentOf(fraction),
  };
}
