import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Destination, DirectResponse, HttpRoute, VirtualService } from "../../model/virtual-service.ts";
import { configPath } from "../config-path.ts";
import type { Target } from "./forward.ts";
import { forwardOf } from "./forward.ts";
import { concatOperations, headerOperationsOf } from "./header-operations.ts";
import { redirectOf } from "./redirect.ts";
import { pathPatternOf, routeMatchOf } from "./route-match.ts";
import type { SelectedRoute } from "./select-routes.ts";

/** All that the routes of a virtual service depend on. */
export interface RoutesInputs {
  readonly virtualService: VirtualService;
  readonly selected: readonly SelectedRoute[];
  readonly listenPort: number;
  /** The listener terminates TLS, or sends everybody to one that does. */
  readonly tls: boolean;
  readonly mesh: MeshSettings;
  /** Decides the port of a destination that does not name one. Must depend on the destination alone. */
  readonly portOf: (destination: Destination) => number;
}

/** One encoded route. Equal inputs give the same list object, so identity tells that two hosts have the same routes. */
export interface EncodedRoute {
  readonly bytes: Uint8Array;
  readonly catchAll: boolean;
}

const built = new Memo<readonly EncodedRoute[]>();

export function buildRoutes(inputs: RoutesInputs, writer: ProtoWriter): readonly EncodedRoute[] {
  const { virtualService, selected, listenPort, tls, mesh } = inputs;
  const targets = selected.map(({ route }) => targetsOf(route, inputs));
  const places = selected.map(({ place }, i) => `${place}:${targets[i]?.map(({ port }) => port).join("+")}`);
  const id = `${listenPort}|${tls}|${places.join(",")}`;
  return built.get([virtualService, mesh, writer], id, () =>
    selected.flatMap((one, i) => encodeRoute(one, targets[i] ?? [], inputs, writer)),
  );
}

function targetsOf({ action }: HttpRoute, { portOf }: RoutesInputs): readonly Target[] {
  if (action.type !== "forward") return [];
  return action.destinations.map((destination) => ({ ...destination, port: portOf(destination) }));
}

/** One route, or none if it asks for something that Envoy cannot do. */
function encodeRoute(
  { route, match, catchAll }: SelectedRoute,
  targets: readonly Target[],
  { virtualService, listenPort, tls, mesh }: RoutesInputs,
  writer: ProtoWriter,
): readonly EncodedRoute[] {
  const action = actionOf(route, targets, { listenPort, tls, mesh }, writer);
  if (action === undefined) return [];
  const [only] = targets.length === 1 ? targets : [];
  const own = headerOperationsOf(route.headers);
  const headers = only === undefined ? own : concatOperations(own, headerOperationsOf(only.headers));
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
    requestHeadersToAdd: headers.requestHeadersToAdd,
    requestHeadersToRemove: headers.requestHeadersToRemove,
    responseHeadersToAdd: headers.responseHeadersToAdd,
    responseHeadersToRemove: headers.responseHeadersToRemove,
    statPrefix: match?.statPrefix,
  });
  return [{ bytes, catchAll }];
}

type Listener = Pick<RoutesInputs, "listenPort" | "tls" | "mesh">;

function actionOf(
  { action, headers }: HttpRoute,
  targets: readonly Target[],
  { listenPort, tls, mesh }: Listener,
  writer: ProtoWriter,
) {
  if (action.type === "direct-response") return { case: "directResponse", value: directResponseOf(action) } as const;
  if (action.type === "forward") {
    return { case: "route", value: forwardOf(action, targets, headers, mesh, writer) } as const;
  }
  const value = redirectOf(action, listenPort, tls);
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
