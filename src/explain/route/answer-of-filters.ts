import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RequestOutcome } from "../explanation.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { preflightAnswer } from "./cors-preflight.ts";
import { abortOfAll } from "./injected-faults.ts";

/** The answer of a filter before the route acts, in filter order. Undefined when no filter answers. */
export function answerOfFilters(
  route: Route,
  host: VirtualHost,
  request: SimulatedRequest,
): RequestOutcome | undefined {
  // If the route does not forward requests, Envoy ignores the CORS policy.
  const preflight = route.action.case === "route" ? preflightAnswer(route.typedPerFilterConfig, request) : undefined;
  return preflight ?? abortOfAll(request, route.typedPerFilterConfig, host.typedPerFilterConfig);
}
