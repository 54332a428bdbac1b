import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { ProxyConfig } from "../../../../src/explain/explain.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../../../src/xds/type-urls.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";
import { SotwClient } from "./ads-client.ts";

/** The configuration that a proxy gets from the server. Our own client requests it in the way of an Envoy. */
export async function configOf(node: EnvoyNode, xdsPort: number, routes: readonly string[]): Promise<ProxyConfig> {
  using client = new SotwClient(xdsPort, node);
  async function take<Desc extends DescMessage>(typeUrl: string, schema: Desc, names: readonly string[] = []) {
    client.subscribe(typeUrl, names);
    const response = await client.next(typeUrl);
    client.ack(response);
    return response.resources.map((any): MessageShape<Desc> => fromBinary(schema, any.value));
  }
  // The server does not answer a request without names.
  const named = async <Desc extends DescMessage>(typeUrl: string, schema: Desc, wanted: readonly string[]) =>
    wanted.length === 0 ? [] : await take(typeUrl, schema, wanted);
  const clusters = await take(clusterType, ClusterSchema);
  const names = clusters
    .map(({ edsClusterConfig }) => edsClusterConfig?.serviceName ?? "")
    .filter((name) => name !== "");
  return {
    clusters,
    endpoints: await named(endpointType, ClusterLoadAssignmentSchema, names),
    listeners: await take(listenerType, ListenerSchema),
    routes: await named(routeType, RouteConfigurationSchema, routes),
    // None of our servers has secrets.
    secrets: new Set(),
  };
}
