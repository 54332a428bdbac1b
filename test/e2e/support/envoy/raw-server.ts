import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import {
  assignmentOf,
  endpointAt,
  listenerOn,
  routesFor,
  toyCluster,
  toyRoute,
  typed,
} from "../../../../src/testing/envoy/toy-envoy-config.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../../../src/xds/type-urls.ts";
import {
  createXdsServer,
  type NodeClient,
  type PlainResource,
  type ServeOptions,
  SnapshotSource,
} from "../../../../src/xds.ts";

const ads = {
  configSourceSpecifier: { case: "ads" as const, value: {} },
  resourceApiVersion: ApiVersion.V3,
};

/** An xDS server in this process that serves Envoy messages of the test. Nothing validates them. */
export async function startRawServer(options: Partial<ServeOptions> = {}) {
  const source = new SnapshotSource<NodeClient>({ groupOf: () => "all" });
  const server = createXdsServer({ address: "127.0.0.1:0", source, ...options });
  const address = await server.start();
  return {
    port: Number(address.slice(address.lastIndexOf(":") + 1)),
    /** The responses of a type to the only client, and its answers. */
    subscription: (typeUrl: string) =>
      [...server.connections]
        .flatMap(({ subscriptions }) => subscriptions)
        .find(({ type }) => type.typeUrl === typeUrl),
    set: (resources: readonly PlainResource[]) => source.set("all", { resources }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** A cluster that gets its endpoint over EDS, and the endpoint. */
export function rawCluster(name: string, port: number): readonly PlainResource[] {
  const cluster = toyCluster(name, {
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: ads },
  });
  const assignment = assignmentOf(name, [endpointAt("127.0.0.1", port)]);
  return [
    { ...plain(clusterType, name, ClusterSchema, cluster), warmedBy: name },
    plain(endpointType, name, ClusterLoadAssignmentSchema, assignment),
  ];
}

/** Endpoints that Envoy rejects: they break a rule of its protos, or have an unusable address. */
export function refusedEndpoints(name: string, how: "unreadable" | "inapplicable"): PlainResource {
  const endpoint =
    how === "unreadable" ? endpointAt("127.0.0.1", 1, { loadBalancingWeight: 0 }) : endpointAt("nowhere.example", 1);
  return plain(endpointType, name, ClusterLoadAssignmentSchema, assignmentOf(name, [endpoint]));
}

/** A listener on loopback that gets routes of its own name over RDS. */
export function rawListener(name: string, port: number): PlainResource {
  const routeSpecifier = { case: "rds" as const, value: { routeConfigName: name, configSource: ads } };
  const httpFilters = [typed(RouterSchema)];
  const manager = typed(HttpConnectionManagerSchema, { statPrefix: name, routeSpecifier, httpFilters });
  const message = listenerOn("127.0.0.1", port, { name, filterChains: [{ filters: [manager] }] });
  return plain(listenerType, name, ListenerSchema, message);
}

/** Routes that send everything to one cluster. */
export function rawRoutes(name: string, cluster: string): PlainResource {
  return plain(routeType, name, RouteConfigurationSchema, routesFor(name, { "*": [toyRoute(cluster)] }));
}

/** Routes that Envoy cannot read: it rejects every response with them as a whole. */
export function unreadableRoutes(name: string): PlainResource {
  return plain(routeType, name, RouteConfigurationSchema, { name, virtualHosts: [{ name: "", domains: [] }] });
}

function plain<Desc extends DescMessage>(typeUrl: string, name: string, schema: Desc, init: MessageInitShape<Desc>) {
  return { typeUrl, name, value: toBinary(schema, create(schema, init)) };
}
