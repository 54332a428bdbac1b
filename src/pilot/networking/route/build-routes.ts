import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { DirectResponse, HttpRoute, VirtualService } from "../../model/traffic/virtual-service.ts";
import { configPath } from "../config-path.ts";
import { cors, corsConfig } from "../filters/cors.ts";
import { fault, faultConfig } from "../filters/fault.ts";
import { type ForwardSettings, forwardOf } from "./action/forward.ts";
import { concatOperations, buildHeaderOperations } from "./action/header-operations.ts";
import { buildRedirect } from "./action/redirect.ts";
import {
  type Resolve,
  type ResolvedBackend,
  resolveBackends,
  ruleOwnersOf,
  type TargetedAction,
  withTargets,
} from "./action/targets.ts";
import { pathPatternOf, routeMatchOf } from "./route-match.ts";
import { type RoutePosition, routeAt, type SelectedRoute } from "./select-routes.ts";

/** All inputs of the routes of a virtual service. */
export interface RoutesInputs {
  readonly virtualService: VirtualService;
  readonly selected: readonly SelectedRoute[];
  readonly listenPort: number;
  /** The listener terminates TLS, or redirects to one that does. */
  readonly tls: boolean;
  readonly mesh: MeshSettings;
  readonly settings: ForwardSettings;
  readonly resolve: Resolve;
}

/** One encoded route. Equal inputs give the same list object, so identity tells that two hosts have the same routes. */
export interface EncodedRoute {
  readonly bytes: Uint8Array;
  readonly catchAll: boolean;
  /** The DestinationRules that affect it. */
  readonly owners: readonly ConfigId[];
}

/** The encoded routes of a virtual service, in order. */
export function buildRoutes(inputs: RoutesInputs, writer: ProtoWriter): readonly EncodedRoute[] {
  const { virtualService, selected, listenPort, tls, mesh, settings, resolve } = inputs;
  const { appendsForwardedHost } = settings;
  const routes = selected.map(({ position, route }) => ({
    position,
    backends: resolveBackends(route.action, resolve),
  }));
  return encodeRoutes([virtualService, mesh, writer], { listenPort, tls, settings: { appendsForwardedHost }, routes });
}

interface RoutesFacts extends Pick<RoutesInputs, "listenPort" | "tls"> {
  readonly settings: ForwardSettings;
  readonly routes: readonly { readonly position: RoutePosition; readonly backends: readonly ResolvedBackend[] }[];
}

/** Kept when another virtual service of the same port changes. */
const encodeRoutes = memoize(
  (
    [virtualService, mesh, writer]: readonly [VirtualService, MeshSettings, ProtoWriter],
    { routes, ...listener }: RoutesFacts,
  ): readonly EncodedRoute[] =>
    routes.flatMap(({ position, backends }) => {
      const selected = routeAt(virtualService, position);
      const action = withTargets(selected.route.action, backends);
      return encodeRoute({ ...selected, action }, { ...listener, virtualService, mesh }, writer);
    }),
);

interface TargetedRoute extends SelectedRoute {
  readonly action: TargetedAction;
}

type Listener = Pick<RoutesInputs, "listenPort" | "tls" | "mesh"> & { readonly settings: ForwardSettings };

/** One route, or none if Envoy does not support it. */
function encodeRoute(
  { route, match, catchAll, action: targeted }: TargetedRoute,
  { virtualService, listenPort, tls, mesh, settings }: Listener & Pick<RoutesInputs, "virtualService">,
  writer: ProtoWriter,
): readonly EncodedRoute[] {
  const action = actionOf(targeted, route.headers, { listenPort, tls, mesh, settings }, writer);
  if (action === undefined) return [];
  const targets = targeted.type === "forward" ? targeted.destinations : [];
  const [only] = targets.length === 1 ? targets : [];
  const own = buildHeaderOperations(route.headers);
  const headers = only === undefined ? own : concatOperations(own, buildHeaderOperations(only.headers));
  const origin = only === undefined ? `${virtualService.name}:${listenPort}` : `${only.hostname}:${only.port}`;
  const bytes = writer.encode(RouteSchema, {
    name: match === undefined || match.name === "" ? route.name : `${route.name}.${match.name}`,
    match: routeMatchOf(match),
    action,
    metadata: {
      filterMetadata: {
        istio: { config: configPath("virtual-service", virtualService.namespace, virtualService.name) },
      },
    },
    decorator: { operation: `${origin}${pathPatternOf(match)}` },
    typedPerFilterConfig: filterConfigsOf(route, writer),
    requestHeadersToAdd: headers.requestHeadersToAdd,
    requestHeadersToRemove: headers.requestHeadersToRemove,
    responseHeadersToAdd: headers.responseHeadersToAdd,
    responseHeadersToRemove: headers.responseHeadersToRemove,
    statPrefix: match?.statPrefix,
  });
  return [{ bytes, catchAll, owners: ruleOwnersOf(targeted) }];
}

function actionOf(
  action: TargetedAction,
  headers: HttpRoute["headers"],
  { listenPort, tls, mesh, settings }: Listener,
  writer: ProtoWriter,
) {
  if (action.type === "direct-response") return { case: "directResponse", value: directResponseOf(action) } as const;
  if (action.type === "forward") {
    return { case: "route", value: forwardOf(action, headers, { mesh, settings }, writer) } as const;
  }
  const value = buildRedirect(action, listenPort, tls);
  return value === undefined ? undefined : ({ case: "redirect", value } as const);
}

function directResponseOf({ status, body }: DirectResponse) {
  if (body === undefined) return { status, body: undefined };
  const specifier =
    typeof body === "string"
      ? ({ case: "inlineString", value: body } as const)
      : ({ case: "inlineBytes", value: body } as const);
  return { status, body: { specifier } };
}

/**
 * Per-route configuration of HTTP filters, by filter name. Like Istio, we set it on every route, though Envoy applies
 * CORS only to routes that forward.
 */
function filterConfigsOf(route: HttpRoute, writer: ProtoWriter): Readonly<Record<string, Uint8Array>> {
  return {
    ...(route.fault !== undefined && { [fault.name]: faultConfig(route.fault, writer) }),
    ...(route.cors !== undefined && { [cors.name]: corsConfig(route.cors, writer) }),
  };
}
