import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { CorsPolicySchema } from "#gen/envoy/extensions/filters/http/cors/v3/cors_pb.js";
import type { RequestOutcome } from "../explanation.ts";
import { headerOf, type SimulatedRequest } from "../simulated-request.ts";
import { compare, textPatternOf } from "./text-pattern.ts";

/** The answer to a CORS preflight request of a browser. Undefined for other requests. */
export function preflightAnswer(
  configs: Readonly<Record<string, Any>>,
  request: SimulatedRequest,
): RequestOutcome | undefined {
  const origin = headerOf(request, "origin");
  if (origin === undefined || !isPreflight(request)) return undefined;
  const policies = Object.values(configs).flatMap((any) => anyUnpack(any, CorsPolicySchema) ?? []);
  const allowed = policies
    .flatMap((policy) => policy.allowOriginStringMatch)
    .some((matcher) => {
      const pattern = textPatternOf(matcher);
      return pattern !== undefined && compare("origin", origin, pattern).holds;
    });
  return allowed ? { type: "response", status: 200, body: "" } : undefined;
}

/** Whether a browser asks if it may send a request. */
export function isPreflight(request: SimulatedRequest): boolean {
  const names = ["origin", "access-control-request-method"];
  return request.method === "OPTIONS" && names.every((name) => headerOf(request, name) !== undefined);
}
