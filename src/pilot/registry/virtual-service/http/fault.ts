import type {
  HTTPFaultInjection,
  HTTPFaultInjection_Abort,
  HTTPFaultInjection_Delay,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { grpcStatusCodes } from "../../../../config/grammar/grpc-status-codes.ts";
import { durationOf } from "../../../model/duration.ts";
import type { Fault, FaultAbort, FaultDelay } from "../../../model/traffic/virtual-service.ts";
import { fractionOf, wholePercent } from "./fraction.ts";

/** Undefined where the fault has no valid effect. A fault without a percentage applies to no request. */
export function faultOf(fault: HTTPFaultInjection | undefined): Fault | undefined {
  const delay = fault?.delay === undefined ? undefined : delayOf(fault.delay);
  const abort = fault?.abort === undefined ? undefined : abortOf(fault.abort);
  return delay === undefined && abort === undefined ? undefined : { delay, abort };
}

function delayOf({ httpDelayType, percentage, percent }: HTTPFaultInjection_Delay): FaultDelay | undefined {
  const duration = httpDelayType.case === "fixedDelay" ? durationOf(httpDelayType.value) : undefined;
  if (duration === undefined) return undefined;
  return { duration, fraction: percentage === undefined ? wholePercent(percent) : fractionOf(percentage) };
}

function abortOf({ errorType, percentage }: HTTPFaultInjection_Abort): FaultAbort | undefined {
  const status = statusOf(errorType);
  if (status === undefined) return undefined;
  return { status, fraction: percentage === undefined ? wholePercent(0) : fractionOf(percentage) };
}

function statusOf(error: HTTPFaultInjection_Abort["errorType"]): FaultAbort["status"] | undefined {
  if (error.case === "httpStatus") return isStatus(error.value) ? { type: "http", code: error.value } : undefined;
  const code = error.case === "grpcStatus" ? grpcStatusCodes.get(error.value) : undefined;
  return code === undefined ? undefined : { type: "grpc", code };
}

/** Users may write any number. Envoy rejects the whole route configuration for a status outside this range. */
function isStatus(code: number): boolean {
  return code >= 200 && code <= 599;
}
