import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import type { FaultDelay } from "#gen/envoy/extensions/filters/common/fault/v3/fault_pb.js";
import { type FaultAbort, HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { durationText, percentOf } from "../quantities.ts";

type FilterConfigs = Readonly<Record<string, Any>>;

/** The faults that are injected, from the first of the settings that has any: the most specific comes first. */
export function faultNotes(...settings: readonly FilterConfigs[]): readonly string[] {
  const faults = settings.flatMap((configs) =>
    Object.values(configs).flatMap((any) => anyUnpack(any, HTTPFaultSchema) ?? []),
  );
  const { delay, abort } = faults[0] ?? {};
  return [...(delay === undefined ? [] : [delayNote(delay)]), ...(abort === undefined ? [] : [abortNote(abort)])];
}

function delayNote({ faultDelaySecifier: delay, percentage }: FaultDelay): string {
  const time = delay.case === "fixedDelay" ? durationText(delay.value) : "a time that a header names";
  return `a fault delays ${percentOf(percentage, "0%")} by ${time}`;
}

function abortNote({ errorType: error, percentage }: FaultAbort): string {
  const kind = error.case === "grpcStatus" ? "gRPC status" : "status";
  const status = typeof error.value === "number" ? `${kind} ${error.value}` : "a status that a header names";
  return `a fault ends ${percentOf(percentage, "0%")} with ${status}`;
}
