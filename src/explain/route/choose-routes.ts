import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { chosen, refused, type Stage } from "../explanation.ts";
import { ownersOf, type ProxyConfig } from "../proxy-config.ts";

/** The route configuration of a connection manager: inline, or from RDS. */
export function chooseRoutes(
  config: ProxyConfig,
  { routeSpecifier }: HttpConnectionManager,
): Stage<RouteConfiguration> {
  switch (routeSpecifier.case) {
    case "routeConfig": {
      const { name } = routeSpecifier.value;
      return chosen(routeSpecifier.value, { type: "route configuration", name, why: "it is part of the listener" });
    }
    case "rds":
      return sentApart(config, routeSpecifier.value.routeConfigName);
    case "scopedRoutes":
      return { type: "unknown", reason: "the routes depend on a scope of the request, which is not read here" };
    case undefined:
    default:
      return refused("the listener names no routes", { status: 404 });
  }
}

function sentApart(config: ProxyConfig, name: string): Stage<RouteConfiguration> {
  const routes = config.routes.find((candidate) => candidate.name === name);
  if (routes === undefined) return refused(`there is no route configuration ${name}, so the listener does not start`);
  const owners = ownersOf(config, "route", name);
  return chosen(routes, { type: "route configuration", name, why: "the listener asks for it by name", owners });
}
