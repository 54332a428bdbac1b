import type {
  HTTPFaultInjection,
  HTTPFaultInjection_Abort,
  HTTPFaultInjection_Delay,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { error, errorUnless, type Finding, warning } from "../../finding.ts";
import { grpcStatusCodes } from "../../grammar/grpc-status-codes.ts";
import { percentage, positiveDuration, share } from "../../rules/amount.ts";

export function faultInjection(fault: HTTPFaultInjection | undefined, path: string): readonly Finding[] {
  if (fault === undefined) return [];
  return [
    ...errorUnless(fault.abort !== undefined || fault.delay !== undefined, path, {
      code: "empty-fault",
      message: "a fault needs an abort or a delay",
    }),
    ...(fault.abort === undefined ? [] : abort(fault.abort, `${path}.abort`)),
    ...(fault.delay === undefined ? [] : delay(fault.delay, `${path}.delay`)),
  ];
}

function abort({ errorType, percentage }: HTTPFaultInjection_Abort, path: string): readonly Finding[] {
  return [...abortStatus(errorType, path), ...share(percentage?.value, `${path}.percentage.value`)];
}

function abortStatus(errorType: HTTPFaultInjection_Abort["errorType"], path: string): readonly Finding[] {
  switch (errorType.case) {
    case "httpStatus":
      return httpStatus(errorType.value, `${path}.httpStatus`);
    case "grpcStatus":
      return errorUnless(grpcStatusCodes.has(errorType.value), `${path}.grpcStatus`, {
        code: "bad-status",
        message: `"${errorType.value}" is not a gRPC status`,
        hint: "write its name, such as UNAVAILABLE",
      });
    case "http2Error":
      return [error(`${path}.http2Error`, { code: "unsupported-field", message: "Envoy does not support http2Error" })];
    case undefined:
    default:
      return [
        warning(path, { code: "missing-status", message: "an abort without httpStatus or grpcStatus has no effect" }),
      ];
  }
}

/** Istio accepts 600 as well. Envoy would refuse the whole route configuration for it, so such an abort is left out. */
function httpStatus(status: number, path: string): readonly Finding[] {
  if (status === 600)
    return [warning(path, { code: "bad-status", message: "Envoy does not support status 600, so nothing is aborted" })];
  return errorUnless(status >= 200 && status <= 599, path, {
    code: "bad-status",
    message: `httpStatus must be between 200 and 599, not ${status}`,
  });
}

function delay(
  { httpDelayType, percent, percentage: portion }: HTTPFaultInjection_Delay,
  path: string,
): readonly Finding[] {
  const fixed = httpDelayType.case === "fixedDelay" ? httpDelayType.value : undefined;
  return [
    ...(httpDelayType.case === undefined
      ? [warning(path, { code: "missing-delay", message: "a delay without fixedDelay has no effect" })]
      : []),
    ...errorUnless(httpDelayType.case !== "exponentialDelay", `${path}.exponentialDelay`, {
      code: "unsupported-field",
      message: "Envoy does not support exponentialDelay",
      hint: "write fixedDelay",
    }),
    ...positiveDuration(fixed, `${path}.fixedDelay`),
    ...percentage(percent, `${path}.percent`),
    ...share(portion?.value, `${path}.percentage.value`),
  ];
}
