import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service } from "../../model/service/service.ts";
import type { AppliedHash, HashLookup } from "../../model/traffic/applied-hash.ts";
import { backendsOf, ownersOf, type VirtualService } from "../../model/traffic/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { configPath } from "../config-path.ts";
import { fault, faultConfig } from "../filters/fault.ts";
import { hostAndPort } from "../host-and-port.ts";
import { makeResource } from "../make-resource.ts";
import { hashId } from "../route/action/targets.ts";
import { routeMatchOf } from "../route/route-match.ts";
import type { SelectedRoute } from "../route/select-routes.ts";
import { domainsSpelt } from "../route/sidecar/service-domains.ts";
import { grpcActionOf, plainActionOf } from "./grpc-action.ts";
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
  /** Of the destinations that the clients see. */
  readonly hashes: HashLookup;
}

const built = new Memo<Resource>();
const absent = {};

/** The routes of one port of one service, under the name that its listeners refer to. */
export function buildGrpcRoutes(inputs: GrpcRouteInputs, writer: ProtoWriter): Resource {
  const { service, port, dnsDomain, routing, mesh } = inputs;
  const places = routing?.selected.map(({ place }) => place);
  const hashes = hashesOf(inputs);
  const id = JSON.stringify([port.number, dnsDomain, places, hashes.map(hashId)]);
  return built.get([service, routing?.virtualService ?? absent, mesh, writer], id, () => {
    const name = clusterName(port.number, "", service.hostname);
    const virtualHosts = [virtualHostOf(inputs, name, writer)];
    return makeResource({
      name,
      any: writer.any(RouteConfigurationSchema, { name, virtualHosts }),
      owners: [
        service.owner,
        ...(routing === undefined ? [] : ownersOf(routing.virtualService)),
        ...hashes.flatMap(({ owners }) => owners),
      ],
    });
  });
}

/** Of every destination that has one. */
function hashesOf({ service, port, routing, hashes }: GrpcRouteInputs): readonly AppliedHash[] {
  const plain = { hostname: service.hostname, subset: "", port: port.number };
  const backends = routing === undefined ? [plain] : routing.selected.flatMap(({ route }) => backendsOf(route));
  return backends.flatMap((backend) => hashes(backend) ?? []);
}

/**
 * The routes of a port that nobody may call: none, but for every authority. Without any host the client's name
 * resolution fails, and grpc-js lets calls wait for another one.
 */
export function emptyGrpcRoutes(name: string, writer: ProtoWriter): Resource {
  const virtualHosts = [{ name: "blackhole", domains: ["*"] }];
  return makeResource({ name, any: writer.any(RouteConfigurationSchema, { name, virtualHosts }), owners: [] });
}

/** Domains stand with and without the port: gRPC compares the whole target, and cannot be told to ignore it. */
function virtualHostOf(inputs: GrpcRouteInputs, own: string, writer: ProtoWriter) {
  const { service, dnsDomain, routing, mesh, hashes } = inputs;
  const port = inputs.port.number;
  const plain = { hostname: service.hostname, subset: "", port };
  const { domains } = domainsSpelt({ form: "both", port, dnsDomain })(service);
  const routes =
    routing === undefined
      ? [{ match: routeMatchOf(undefined), action: plainActionOf(own, mesh, hashes(plain)) }]
      : routing.selected.flatMap((selected) => routesOf(selected, { ...routing, domains, port, mesh, hashes }, writer));
  return { name: hostAndPort(service.hostname, port), domains, routes };
}

interface Surroundings {
  readonly virtualService: VirtualService;
  readonly domains: readonly string[];
  readonly port: number;
  readonly mesh: MeshSettings;
  readonly hashes: HashLookup;
}

/**
 * As many routes as it takes to say the same in gRPC's words; none for what no call can match. Of the filters that
 * routes speak to, clients have that of faults; for a word to another they would reject everything.
 */
function routesOf(
  { route, match }: SelectedRoute,
  { virtualService, domains, port, mesh, hashes }: Surroundings,
  writer: ProtoWriter,
) {
  const action = grpcActionOf(route.action, port, { mesh, hashes });
  const config = configPath("virtual-service", virtualService.namespace, virtualService.name);
  const matches = match === undefined ? [undefined] : grpcMatchesOf(match, domains);
  return matches.map((one) => ({
    name: match === undefined || match.name === "" ? route.name : `${route.name}.${match.name}`,
    match: routeMatchOf(one),
    action,
    metadata: { filterMetadata: { istio: { config } } },
    typedPerFilterConfig: route.fault === undefined ? {} : { [fault.name]: faultConfig(route.fault, writer) },
  }));
}
