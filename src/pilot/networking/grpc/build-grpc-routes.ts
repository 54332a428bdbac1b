import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../model/proxy/address-families.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service } from "../../model/service/service.ts";
import type { AppliedHash, HashLookup } from "../../model/traffic/applied-hash.ts";
import { type Backend, backendsOf, ownersOf, type VirtualService } from "../../model/traffic/virtual-service.ts";
import { hostAndPort } from "../address.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { configPath } from "../config-path.ts";
import { fault, faultConfig } from "../filters/fault.ts";
import { makeResource } from "../make-resource.ts";
import { routeMatchOf } from "../route/route-match.ts";
import { type RoutePosition, routeAt, type SelectedRoute } from "../route/select-routes.ts";
import { domainsSpelt } from "../route/sidecar/service-domains.ts";
import { grpcActionOf, plainActionOf } from "./grpc-action.ts";
import { grpcMatchesOf } from "./grpc-matches.ts";
import type { Routing } from "./routing-for.ts";

/** All inputs of the routes of a service's port, for proxyless clients. */
export interface GrpcRouteInputs {
  readonly service: Service;
  readonly port: Port;
  /** Of the clients that ask. */
  readonly dnsDomain: string;
  readonly families: AddressFamilies;
  /** Undefined when no virtual service applies. */
  readonly routing: Routing | undefined;
  readonly mesh: MeshSettings;
  /** Of the destinations that the clients see. */
  readonly hashes: HashLookup;
}

/** The routes of one port of one service, under the name that its listeners refer to. */
export function buildGrpcRoutes(inputs: GrpcRouteInputs, writer: ProtoWriter): Resource {
  const { service, port, dnsDomain, families, routing, mesh } = inputs;
  const positions = routing?.selected.map(({ position }) => position) ?? [];
  const facts = { dnsDomain, families, positions, hashes: hashesOf(inputs) };
  return buildRoutes([service, port, routing?.virtualService, mesh, writer], facts);
}

type Held = readonly [Service, Port, VirtualService | undefined, MeshSettings, ProtoWriter];

interface Facts extends Pick<GrpcRouteInputs, "dnsDomain" | "families"> {
  /** Of the routes that apply, in the virtual service. */
  readonly positions: readonly RoutePosition[];
  readonly hashes: readonly BackendHash[];
}

const buildRoutes = memoize(([service, port, virtualService, mesh, writer]: Held, facts: Facts): Resource => {
  const { dnsDomain, families, positions, hashes } = facts;
  const routing = virtualService && {
    virtualService,
    selected: positions.map((position) => routeAt(virtualService, position)),
  };
  const inputs = { service, port, dnsDomain, families, routing, mesh, hashes: lookupIn(hashes) };
  const name = clusterName(port.number, "", service.hostname);
  const virtualHosts = [virtualHostOf(inputs, name, writer)];
  return makeResource({
    name,
    any: writer.any(RouteConfigurationSchema, { name, virtualHosts }),
    owners: [
      service.owner,
      ...(virtualService === undefined ? [] : ownersOf(virtualService)),
      ...hashes.flatMap(({ hash }) => hash.owners),
    ],
  });
});

/** A destination, and what keeps equal requests to it together. */
interface BackendHash {
  readonly backend: Backend;
  readonly hash: AppliedHash;
}

/** Of every destination that has one. */
function hashesOf({ service, port, routing, hashes }: GrpcRouteInputs): readonly BackendHash[] {
  const backends = routing === undefined ? [] : routing.selected.flatMap(({ route }) => backendsOf(route));
  return (routing === undefined ? [plainBackend(service, port)] : backends).flatMap(
    ({ hostname, subset, port: own }) => {
      const backend = { hostname, subset, port: own };
      const hash = hashes(backend);
      return hash === undefined ? [] : [{ backend, hash }];
    },
  );
}

function lookupIn(hashes: readonly BackendHash[]): HashLookup {
  return ({ hostname, subset, port }) =>
    hashes.find(({ backend }) => backend.hostname === hostname && backend.subset === subset && backend.port === port)
      ?.hash;
}

function plainBackend({ hostname }: Service, { number }: Port): Backend {
  return { hostname, subset: "", port: number };
}

/**
 * The routes of a port that clients may not call: a virtual host for every authority, without routes. Without any
 * virtual host the client's name resolution fails, and grpc-js lets calls wait.
 */
export function emptyGrpcRoutes(name: string, writer: ProtoWriter): Resource {
  const virtualHosts = [{ name: "blackhole", domains: ["*"] }];
  return makeResource({ name, any: writer.any(RouteConfigurationSchema, { name, virtualHosts }), owners: [] });
}

/** Domains occur with and without the port: gRPC compares the whole target, and cannot ignore the port. */
function virtualHostOf(inputs: GrpcRouteInputs, own: string, writer: ProtoWriter) {
  const { service, dnsDomain, families, routing, mesh, hashes } = inputs;
  const port = inputs.port.number;
  const { domains } = domainsSpelt({ form: "both", port, dnsDomain, families })(service);
  const routes =
    routing === undefined
      ? [
          {
            match: routeMatchOf(undefined),
            action: plainActionOf(own, mesh, hashes(plainBackend(service, inputs.port))),
          },
        ]
      : routing.selected.flatMap((selected) => routesOf(selected, { ...routing, domains, port, mesh, hashes }, writer));
  return { name: hostAndPort(service.hostname, port), domains, routes };
}

interface Context {
  readonly virtualService: VirtualService;
  readonly domains: readonly string[];
  readonly port: number;
  readonly mesh: MeshSettings;
  readonly hashes: HashLookup;
}

/**
 * The gRPC routes with the same effect; none if no call can match. Clients support only the fault filter, and reject
 * everything if a route configures another.
 */
function routesOf(
  { route, match }: SelectedRoute,
  { virtualService, domains, port, mesh, hashes }: Context,
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
