import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AnySchema, anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { BootstrapSchema } from "#gen/envoy/config/bootstrap/v3/bootstrap_pb.js";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import {
  type ApiConfigSource,
  ApiConfigSource_ApiType,
  ApiConfigSourceSchema,
  ApiVersion,
} from "#gen/envoy/config/core/v3/config_source_pb.js";
import { type ClusterLoadAssignment, ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { Filter } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { type RouteConfiguration, RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { maxProgramSize } from "../../config/grammar/re2/program-limit.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../xds/type-urls.ts";
import { anyIn } from "../../xds/wire/entry.ts";

/** A resource that an Envoy judges. */
export interface JudgedResource {
  readonly typeUrl: string;
  readonly resource: Resource;
}

/** The types that a static bootstrap can hold, in an order in which each refers to those before it. */
export const judgedTypes: readonly string[] = [clusterType, endpointType, listenerType, routeType];

/**
 * A static bootstrap with these resources, in binary form. Endpoints stand in their clusters and routes in their
 * listeners: Envoy judges both when it starts, and does not wait for a server. Secrets and filters of other streams
 * stay references, so no key is in it.
 */
export function judgedBootstrap(node: string, judged: readonly JudgedResource[]): Uint8Array {
  const valuesOf = (typeUrl: string) =>
    judged.filter((each) => each.typeUrl === typeUrl).map(({ resource }) => valueOf(resource));
  const assignments = valuesOf(endpointType).map((value) => fromBinary(ClusterLoadAssignmentSchema, value));
  const configurations = valuesOf(routeType).map((value) => fromBinary(RouteConfigurationSchema, value));
  const endpoints = new Map(assignments.map((each) => [each.clusterName, each]));
  const routes = new Map(configurations.map((each) => [each.name, each]));
  const clusters = valuesOf(clusterType).map((value) => withEndpoints(fromBinary(ClusterSchema, value), endpoints));
  const listeners = valuesOf(listenerType).map((value) => withRoutes(fromBinary(ListenerSchema, value), routes));
  const bootstrap = create(BootstrapSchema, {
    node: { id: node, cluster: "plan" },
    staticResources: { clusters: [...streams.map(nowhere), ...clusters], listeners },
    dynamicResources: { adsConfig: adsOver(controlName) },
    layeredRuntime: {
      layers: [
        {
          name: "static",
          layerSpecifier: { case: "staticLayer", value: { "re2.max_program_size.error_level": maxProgramSize } },
        },
      ],
    },
  });
  return toBinary(BootstrapSchema, bootstrap);
}

const controlName = "xds-grpc";
/** The servers that references name: this one, and the agent beside a proxy. */
const streams = [controlName, "sds-grpc"];

function nowhere(name: string): Cluster {
  const socket = { address: "127.0.0.1", portSpecifier: { case: "portValue", value: 1 } } as const;
  const endpoint = { address: { address: { case: "socketAddress", value: socket } } } as const;
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    loadAssignment: {
      clusterName: name,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: endpoint } }] }],
    },
  });
}

function adsOver(clusterName: string): ApiConfigSource {
  return create(ApiConfigSourceSchema, {
    apiType: ApiConfigSource_ApiType.GRPC,
    transportApiVersion: ApiVersion.V3,
    grpcServices: [{ targetSpecifier: { case: "envoyGrpc", value: { clusterName } } }],
  });
}

function valueOf({ entry }: Resource): Uint8Array {
  return fromBinary(AnySchema, anyIn(entry)).value;
}

function withEndpoints(cluster: Cluster, endpoints: ReadonlyMap<string, ClusterLoadAssignment>): Cluster {
  if (cluster.clusterDiscoveryType.value !== Cluster_DiscoveryType.EDS) return cluster;
  const assignment = endpoints.get(cluster.edsClusterConfig?.serviceName || cluster.name);
  if (assignment === undefined) return cluster;
  cluster.clusterDiscoveryType = { case: "type", value: Cluster_DiscoveryType.STATIC };
  cluster.edsClusterConfig = undefined;
  cluster.loadAssignment = assignment;
  return cluster;
}

function withRoutes(listener: Listener, routes: ReadonlyMap<string, RouteConfiguration>): Listener {
  const { filterChains, defaultFilterChain } = listener;
  for (const chain of [...filterChains, ...(defaultFilterChain === undefined ? [] : [defaultFilterChain])]) {
    for (const filter of chain.filters) inlineRoutes(filter, routes);
  }
  return listener;
}

function inlineRoutes(filter: Filter, routes: ReadonlyMap<string, RouteConfiguration>): void {
  const { configType } = filter;
  const manager =
    configType.case === "typedConfig" ? anyUnpack(configType.value, HttpConnectionManagerSchema) : undefined;
  if (manager?.routeSpecifier.case !== "rds") return;
  const found = routes.get(manager.routeSpecifier.value.routeConfigName);
  if (found === undefined) return;
  // Routes of a stream may name clusters that are not there.
  const value = { ...found, validateClusters: found.validateClusters ?? false };
  manager.routeSpecifier = { case: "routeConfig", value };
  filter.configType = { case: "typedConfig", value: anyPack(HttpConnectionManagerSchema, manager) };
}
