import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { type EnvoyConfig, patchNotes, resourceOwners, routesNamed } from "../envoy-config.ts";
import { chosen, refused, type StageResult } from "../explanation.ts";

/** The route configuration of a connection manager: inline, or from RDS. */
export function chooseRoutes(
  config: EnvoyConfig,
  { routeSpecifier }: HttpConnectionManager,
): StageResult<RouteConfiguration> {
  switch (routeSpecifier.case) {
    case "routeConfig": {
      const { name } = routeSpecifier.value;
      return chosen(routeSpecifier.value, { type: "route configuration", name, why: "it is part of the listener" });
    }
    case "rds":
      return sentApart(config, routeSpecifier.value.routeConfigName);
    case "scopedRoutes":
      return { type: "unknown", reason: "the listener uses scoped routes, which explain does not evaluate" };
    case undefined:
    default:
      return refused("the listener names no routes", { status: 404 });
  }
}

function sentApart(config: EnvoyConfig, name: string): StageResult<RouteConfiguration> {
  const routes = routesNamed(config, name);
  if (routes === undefined) return refused(`there is no route configuration ${name}, so the listener does not start`);
  const owners = resourceOwners(config, "route", name);
  const notes = patchNotes(config, "route", name);
  return chosen(routes, { type: "route configuration", name, why: "the listener asks for it by name", owners, notes });
}
