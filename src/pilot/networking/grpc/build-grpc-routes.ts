import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service } from "../../model/service.ts";
import type { Destination, VirtualService } from "../../model/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { configPath } from "../config-path.ts";
import { makeResource } from "../make-resource.ts";
import type { Target } from "../route/forward.ts";
import { routeMatchOf } from "../route/route-match.ts";
import type { SelectedRoute } from "../route/select-routes.ts";
import { grpcActionOf, plainActionOf } from "./grpc-action.ts";
import { grpcDomainsOf } from "./grpc-domains.ts";
import { grpcMatchesOf } from "./grpc-matches.ts";
import type { Routing } from "./routing-for.ts";

/** All that the routes of a service's port depend on, for proxyless clients. */
export interface GrpcRouteInputs {
  readonly service: Service;
  readonly port: Port;
  /** Of the clients that ask. */
  readonly dnsDomain: string;
  /** Undefined when no virtual service has a say. */
  readonly routing: Routing | undefined;
  readonly mesh: MeshSettings;
  /** Decides the port of a destination that does not name one. Must depend on the destination alone. */
  readonly portOf: (destination: Destination) => number;
}

const built = new Memo<Resource>();
const absent = {};

/** The routes of one port of one service, under the name that its listeners refer to. */
export function buildGrpcRoutes(inputs: GrpcRouteInputs, writer: ProtoWriter): Resource {
  const { service, port, dnsDomain, routing, mesh } = inputs;
  const selected = (routing?.selected ?? []).map((one) => ({ ...one, targets: targetsOf(one, inputs) }));
  const places = selected.map(({ place, targets }) => `${place}:${targets.map((target) => target.port).join("+")}`);
  const id = JSON.stringify([port.number, dnsDomain, places]);
  return built.get([service, routing?.virtualService ?? absent, mesh, writer], id, () => {
    const name = clusterName(port.number, "", service.hostname);
    const domains = grpcDomainsOf(service, port.number, dnsDomain);
    const routes =
      routing === undefined
        ? [{ match: routeMatchOf(undefined), action: plainActionOf(name, mesh) }]
        : selected.flatMap((one) => routesOf(one, { domains, virtualService: routing.virtualService, mesh }));
    const virtualHosts = [{ name: `${service.hostname}:${port.number}`, domains, routes }];
    return makeResource({
      name,
      any: writer.any(RouteConfigurationSchema, { name, virtualHosts }),
      owners: [service.owner, ...(routing === undefined ? [] : [routing.virtualService.owner])],
    });
  });
}

/**
 * The routes of a port that nobody may call: none, but for every authority. Without any host the client's name
 * resolution fails, and grpc-js lets calls wait for another one.
 */
export function emptyGrpcRoutes(name: string, writer: ProtoWriter): Resource {
  const virtualHosts = [{ name: "blackhole", domains: ["*"] }];
  return makeResource({ name, any: writer.any(RouteConfigurationSchema, { name, virtualHosts }), owners: [] });
}

type TargetedRoute = SelectedRoute & { readonly targets: readonly Target[] };

function targetsOf({ route: { action } }: SelectedRoute, { portOf }: GrpcRouteInputs): readonly Target[] {
  if (action.type !== "forward") return [];
  return action.destinations.map((destination) => ({ ...destination, port: portOf(destination) }));
}

interface Surroundings {
  readonly domains: readonly string[];
  readonly virtualService: VirtualService;
  readonly mesh: MeshSettings;
}

/** As many routes as it takes to say the same in gRPC's words; none for what no call can match. */
function routesOf({ route, match, targets }: TargetedRoute, { domains, virtualService, mesh }: Surroundings) {
  const action = grpcActionOf(route.action, targets, mesh);
  const config = configPath("virtual-service", virtualService.namespace, virtualService.name);
  const matches = match === undefined ? [undefined] : grpcMatchesOf(match, domains);
  return matches.map((one) => ({
    name: match === undefined || match.name === "" ? route.name : `${route.name}.${match.name}`,
    match: routeMatchOf(one),
    action,
    metadata: { filterMetadata: { istio: { config } } },
  }));
}
