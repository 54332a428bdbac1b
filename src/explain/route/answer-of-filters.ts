import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Outcome } from "../explanation.ts";
import type { Request } from "../request.ts";
import { preflightAnswer } from "./cors.ts";
import { abortOfAll } from "./faults.ts";

/** The answer of a filter before the route acts, in filter order. Undefined when no filter answers. */
export function answerOfFilters(route: Route, host: VirtualHost, request: Request): Outcome | undefined {
  // If the route does not forward requests, Envoy ignores the CORS policy.
  const preflight = route.action.case === "route" ? preflightAnswer(route.typedPerFilterConfig, request) : undefined;
  return preflight ?? abortOfAll(request, route.typedPerFilterConfig, host.typedPerFilterConfig);
}
