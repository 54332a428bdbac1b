import type { Labels } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { assert } from "../../../lib/assert.ts";
import type { HttpMatch, HttpRoute, VirtualService } from "../../model/traffic/virtual-service.ts";

/** The facts of a listener that decide every condition except those of requests. */
export interface RouteContext {
  readonly port: number;
  /** `mesh`, or `namespace/name` of the gateway. */
  readonly gateway: string;
  readonly labels: Labels;
  readonly namespace: string;
}

/** One Envoy route before encoding: a route with one of its matches, or with none. */
export interface SelectedRoute {
  readonly route: HttpRoute;
  readonly match: HttpMatch | undefined;
  /** True when every request matches. */
  readonly catchAll: boolean;
  readonly position: RoutePosition;
}

/** The position of a selected route in its virtual service. */
export interface RoutePosition {
  readonly route: number;
  /** Undefined for a route without matches. */
  readonly match: number | undefined;
}

/** The selected route at a position of a virtual service. */
export function routeAt({ http }: VirtualService, position: RoutePosition): SelectedRoute {
  const route = http[position.route];
  assert(route !== undefined, "a position leads to a route");
  const match = position.match === undefined ? undefined : route.matches[position.match];
  return { route, match, catchAll: match === undefined || matchesEverything(match), position };
}

/** The routes that can apply in a context, in order, up to the first that takes everything. */
export function selectRoutes(virtualService: VirtualService, context: RouteContext): readonly SelectedRoute[] {
  const selected: SelectedRoute[] = [];
  for (const [i, route] of virtualService.http.entries()) {
    if (route.matches.length === 0) {
      return [...selected, routeAt(virtualService, { route: i, match: undefined })];
    }
    for (const [j, match] of route.matches.entries()) {
      if (!appliesIn(match, context)) continue;
      const found = routeAt(virtualService, { route: i, match: j });
      selected.push(found);
      if (found.catchAll) return selected;
    }
  }
  return selected;
}

/** A match that names gateways ignores the source of requests. */
function appliesIn(match: HttpMatch, { port, gateway, labels, namespace }: RouteContext): boolean {
  if (match.port !== 0 && match.port !== port) return false;
  if (match.gateways.length > 0) return match.gateways.includes(gateway);
  return selects(match.sourceLabels, labels) && (match.sourceNamespace === "" || match.sourceNamespace === namespace);
}

function matchesEverything(match: HttpMatch): boolean {
  const { uri, method, authority, scheme, headers, withoutHeaders, queryParams } = match;
  if (method !== undefined || authority !== undefined || scheme !== undefined) return false;
  if (headers.length + withoutHeaders.length + queryParams.length > 0) return false;
  if (uri.type === "present") return true;
  return (uri.type === "prefix" && uri.value === "/") || (uri.type === "regex" && uri.value === ".*");
}
