import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import type { FaultDelay } from "#gen/envoy/extensions/filters/common/fault/v3/fault_pb.js";
import {
  type FaultAbort,
  type HTTPFault,
  HTTPFaultSchema,
} from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import type { RequestOutcome } from "../explanation.ts";
import { durationText, percentOf } from "../quantities.ts";
import { isGrpc, type SimulatedRequest } from "../simulated-request.ts";

type FilterConfigs = Readonly<Record<string, Any>>;

/** The injected faults, from the first settings that have any. The most specific settings come first. */
export function faultNotes(...settings: readonly FilterConfigs[]): readonly string[] {
  const { delay, abort } = faultIn(settings) ?? {};
  return [...(delay === undefined ? [] : [delayNote(delay)]), ...(abort === undefined ? [] : [abortNote(abort)])];
}

/** The answer of a fault that aborts every request, whatever the route does. Undefined if some requests pass. */
export function abortOfAll(
  request: SimulatedRequest,
  ...settings: readonly FilterConfigs[]
): RequestOutcome | undefined {
  const { abort } = faultIn(settings) ?? {};
  if (abort === undefined || percentOf(abort.percentage, "0%") !== "100%") return undefined;
  // A gRPC client reads its status from a header; the body stays empty.
  if (isGrpc(request)) return { type: "response", status: 200, body: "" };
  if (abort.errorType.case !== "httpStatus") return undefined;
  return { type: "response", status: abort.errorType.value, body: "fault filter abort" };
}

function faultIn(settings: readonly FilterConfigs[]): HTTPFault | undefined {
  return settings
    .flatMap((configs) => Object.values(configs).flatMap((any) => anyUnpack(any, HTTPFaultSchema) ?? []))
    .at(0);
}

function delayNote({ faultDelaySecifier: delay, percentage }: FaultDelay): string {
  const time = delay.case === "fixedDelay" ? durationText(delay.value) : "a time from a header";
  return `a fault delays ${percentOf(percentage, "0%")} by ${time}`;
}

function abortNote({ errorType: error, percentage }: FaultAbort): string {
  const kind = error.case === "grpcStatus" ? "gRPC status" : "status";
  const status = typeof error.value === "number" ? `${kind} ${error.value}` : "a status from a header";
  return `a fault aborts ${percentOf(percentage, "0%")} with ${status}`;
}
