import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { terminalFilterOf } from "../../../../src/explain/listener/terminal-filter.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType } from "../../../../src/xds/type-urls.ts";
import type { PlainResource } from "../../../../src/xds.ts";
import { SotwClient } from "../xds/ads-client.ts";
import type { EnvoyNode } from "./bootstrap.ts";

/**
 * A proxy that our own client stands for. It subscribes as an Envoy does, so that the server knows it, and holds the
 * bytes that the server sent.
 */
export interface HeldProxy extends Disposable {
  readonly node: EnvoyNode;
  readonly resources: readonly PlainResource[];
}

export async function holdProxy(node: EnvoyNode, xdsPort: number): Promise<HeldProxy> {
  const client = new SotwClient(xdsPort, node);
  const take = async (typeUrl: string, names?: readonly string[]): Promise<readonly Any[]> => {
    // The server does not answer a request without names.
    if (names?.length === 0) return [];
    client.subscribe(typeUrl, names);
    const response = await client.next(typeUrl);
    client.ack(response);
    return response.resources;
  };
  const clusters = (await take(clusterType)).map(clusterIn);
  const endpoints = (
    await take(
      endpointType,
      clusters.flatMap(({ warmedBy = [] }) => warmedBy),
    )
  ).map(endpointsIn);
  const listeners = (await take(listenerType)).map(({ value }) => ({
    value,
    listener: fromBinary(ListenerSchema, value),
  }));
  const named = listeners.map(({ listener }) => namesIn(listener));
  const routes = await take(routeType, [...new Set(named.flatMap((names) => names.routes))]);
  const extensions = await take(extensionType, [...new Set(named.flatMap((names) => names.extensions))]);
  return {
    node,
    resources: [
      ...clusters,
      ...endpoints,
      ...listeners
        .filter(({ listener }) => isServed(listener))
        .map(({ listener, value }) => ({ typeUrl: listenerType, name: listener.name, value })),
      ...routes.map(({ value }) => ({
        typeUrl: routeType,
        name: fromBinary(RouteConfigurationSchema, value).name,
        value,
      })),
      ...extensions.map(({ value }) => ({
        typeUrl: extensionType,
        name: fromBinary(TypedExtensionConfigSchema, value).name,
        value,
      })),
    ],
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

/**
 * The resources of several proxies as those of one. Listeners are told apart by the addresses in their names. Throws if
 * two proxies have different resources of the same name: then one of them needs an Envoy of its own.
 */
export function joined(proxies: readonly HeldProxy[]): readonly PlainResource[] {
  const all = new Map<string, PlainResource>();
  for (const { node, resources } of proxies) {
    for (const resource of resources) {
      const key = `${resource.typeUrl}/${resource.name}`;
      const known = all.get(key);
      if (known !== undefined && !comparable(known).equals(comparable(resource))) {
        throw new Error(`${node.id} has another ${key} than the proxies before it: it needs an Envoy of its own`);
      }
      all.set(key, resource);
    }
  }
  return [...all.values()];
}

/** The metadata of a cluster names its services. No request depends on it. */
function comparable({ typeUrl, value }: PlainResource): Buffer {
  if (typeUrl !== clusterType) return Buffer.from(value);
  const cluster = fromBinary(ClusterSchema, value);
  delete cluster.metadata;
  return Buffer.from(toBinary(ClusterSchema, cluster));
}

function clusterIn({ value }: Any): PlainResource {
  const { name, clusterDiscoveryType: how, edsClusterConfig } = fromBinary(ClusterSchema, value);
  const isEds = how.case === "type" && how.value === Cluster_DiscoveryType.EDS;
  return { typeUrl: clusterType, name, value, ...(isEds && { warmedBy: edsClusterConfig?.serviceName || name }) };
}

function endpointsIn({ value }: Any): PlainResource {
  return { typeUrl: endpointType, name: fromBinary(ClusterLoadAssignmentSchema, value).clusterName, value };
}

/** Our requests arrive from outside: a sidecar's own outbound listeners would only collide. */
function isServed({ bindToPort, trafficDirection, name, address }: Listener): boolean {
  const isInbound = trafficDirection === TrafficDirection.INBOUND || !name.startsWith("virtual");
  const socket = address?.address.case === "socketAddress" ? address.address.value.address : "";
  return bindToPort !== false && isInbound && socket.startsWith("127.") && socket !== "127.0.0.1";
}

function namesIn(listener: Listener): { readonly routes: readonly string[]; readonly extensions: readonly string[] } {
  const managers = [...listener.filterChains, ...(listener.defaultFilterChain ? [listener.defaultFilterChain] : [])]
    .map(terminalFilterOf)
    .flatMap((terminal) => (terminal?.type === "http" ? [terminal.manager] : []));
  return {
    routes: managers.flatMap(({ routeSpecifier: { case: how, value } }) =>
      how === "rds" ? [value.routeConfigName] : [],
    ),
    extensions: managers
      .flatMap(({ httpFilters }) => httpFilters)
      .flatMap(({ name, configType }) => (configType.case === "configDiscovery" ? [name] : [])),
  };
}
