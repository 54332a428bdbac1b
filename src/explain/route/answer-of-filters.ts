import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Outcome } from "../explanation.ts";
import type { Request } from "../request.ts";
import { preflightAnswer } from "./cors.ts";
import { abortOfAll } from "./faults.ts";

/** What a filter answers before the route can act, in the order of the filters; undefined when none does. */
export function answerOfFilters(route: Route, host: VirtualHost, request: Request): Outcome | undefined {
  // Where requests are not forwarded, Envoy does not look at the policy for other origins.
  const preflight = route.action.case === "route" ? preflightAnswer(route.typedPerFilterConfig, request) : undefined;
  return preflight ?? abortOfAll(request, route.typedPerFilterConfig, host.typedPerFilterConfig);
}
