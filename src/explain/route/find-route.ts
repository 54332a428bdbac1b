import {
  type Route,
  VirtualHost_TlsRequirementType as TlsRequirement,
  type VirtualHost,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { EnvoyConfig } from "../envoy-config.ts";
import type { Decision, RequestOutcome } from "../explanation.ts";
import { itemOf, type Place, within } from "../patched-place.ts";
import { type SimulatedRequest, schemeOf } from "../simulated-request.ts";
import { chooseRoute } from "./choose-route.ts";
import { chooseRoutes } from "./choose-routes.ts";
import { chooseVirtualHost } from "./choose-virtual-host.ts";
import type { FilterLevel } from "./filter-override.ts";
import { redirectToTls } from "./redirect-outcome.ts";

/** The search for the route of a request. */
export interface RouteSearch {
  readonly steps: readonly Decision[];
  readonly end: RouteFound | RouteMissed;
}

interface RouteFound {
  readonly type: "found";
  readonly route: Route;
  readonly host: VirtualHost;
  readonly place: Place;
  /** Settings of filters, the most specific first: of the route, of its virtual host, of all routes. */
  readonly levels: readonly FilterLevel[];
}

/** The request ends without a route. */
interface RouteMissed {
  readonly type: "missed";
  readonly outcome: RequestOutcome;
  /** The part in which nothing was found; undefined if there are no routes at all. */
  readonly place: Place | undefined;
}

/** Searches the routes of a connection manager, as Envoy does before the first filter of requests runs. */
export function findRoute(
  config: EnvoyConfig,
  manager: HttpConnectionManager,
  managerPlace: Place,
  request: SimulatedRequest,
): RouteSearch {
  const steps: Decision[] = [];
  const missed = (outcome: RequestOutcome, place?: Place): RouteSearch => ({
    steps,
    end: { type: "missed", outcome, place },
  });
  const routes = chooseRoutes(config, manager);
  if (routes.type !== "chosen") return missed(routes);
  steps.push(routes.step);
  const ofRoutes = placeOfRoutes(manager, managerPlace);

  const host = chooseVirtualHost(routes.value, request);
  if (host.type !== "chosen") return missed(host, ofRoutes);
  steps.push(host.step);
  const ofHost = itemOf(ofRoutes, "virtualHosts", routes.value.virtualHosts, host.value);
  if (host.value.requireTls !== TlsRequirement.NONE && schemeOf(request) === "http") {
    return missed(redirectToTls(request), ofHost);
  }

  const route = chooseRoute(host.value, request);
  if (route.type !== "chosen") return missed(route, ofHost);
  steps.push(route.step);
  const place = itemOf(ofHost, "routes", host.value.routes, route.value);
  const levels = [
    { name: `route ${route.step.name}`, configs: route.value.typedPerFilterConfig, place },
    { name: `virtual host ${host.step.name}`, configs: host.value.typedPerFilterConfig, place: ofHost },
    { name: `route configuration ${routes.step.name}`, configs: routes.value.typedPerFilterConfig, place: ofRoutes },
  ];
  return { steps, end: { type: "found", route: route.value, host: host.value, place, levels } };
}

function placeOfRoutes({ routeSpecifier }: HttpConnectionManager, manager: Place): Place {
  if (routeSpecifier.case !== "rds") return within(manager, "routeConfig");
  return { type: "route", resource: routeSpecifier.value.routeConfigName, path: "" };
}
