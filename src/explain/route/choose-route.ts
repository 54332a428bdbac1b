import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ownersIn } from "../envoy-config.ts";
import { chosen, type PassedOver, refused, type StageResult } from "../explanation.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { factsOf } from "./route-facts.ts";
import { notesOf } from "./route-notes.ts";
import type { Fact } from "./text-pattern.ts";

/** The first route that matches the request. */
export function chooseRoute(host: VirtualHost, request: SimulatedRequest): StageResult<Route> {
  if (host.matcher !== undefined) {
    return { type: "unknown", reason: `${host.name} has a matcher tree, which explain does not evaluate` };
  }
  const passedOver: PassedOver[] = [];
  for (const [index, route] of host.routes.entries()) {
    const name = route.name || `routes[${index}]`;
    const facts = route.match === undefined ? [nothing] : factsOf(route.match, request);
    const missing = facts.find(({ holds }) => !holds);
    if (missing === undefined) {
      const why = facts.length === 0 ? "it takes every request" : facts.map(({ text }) => text).join(", ");
      const notes = notesOf(route, host, request);
      return chosen(route, { type: "route", name, why, notes, passedOver, owners: ownersIn(route.metadata) });
    }
    passedOver.push({ name, why: missing.text });
  }
  return refused(`no route of ${host.name} matches`, { status: 404, passedOver });
}

const nothing: Fact = { holds: false, text: "it matches nothing" };
