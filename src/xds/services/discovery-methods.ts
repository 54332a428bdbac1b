import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType, secretType } from "../type-urls.ts";
import type { StreamKind } from "../xds-server.ts";

interface DiscoveryService {
  readonly name: string;
  /** The noun in the names of its two methods: `StreamX` and `DeltaX`. */
  readonly noun: string;
  /** The only type of the service. Absent for the aggregated service. */
  readonly only?: string;
}

/** Every discovery service of xDS v3 and v2. */
export const discoveryServices: readonly DiscoveryService[] = [
  { name: "envoy.service.discovery.v3.AggregatedDiscoveryService", noun: "AggregatedResources" },
  { name: "envoy.service.cluster.v3.ClusterDiscoveryService", noun: "Clusters", only: clusterType },
  { name: "envoy.service.endpoint.v3.EndpointDiscoveryService", noun: "Endpoints", only: endpointType },
  { name: "envoy.service.listener.v3.ListenerDiscoveryService", noun: "Listeners", only: listenerType },
  { name: "envoy.service.route.v3.RouteDiscoveryService", noun: "Routes", only: routeType },
  { name: "envoy.service.secret.v3.SecretDiscoveryService", noun: "Secrets", only: secretType },
  { name: "envoy.service.extension.v3.ExtensionConfigDiscoveryService", noun: "ExtensionConfigs", only: extensionType },
  { name: "envoy.service.discovery.v2.AggregatedDiscoveryService", noun: "AggregatedResources" },
  { name: "envoy.api.v2.ClusterDiscoveryService", noun: "Clusters", only: clusterType },
  { name: "envoy.api.v2.EndpointDiscoveryService", noun: "Endpoints", only: endpointType },
  { name: "envoy.api.v2.ListenerDiscoveryService", noun: "Listeners", only: listenerType },
  { name: "envoy.api.v2.RouteDiscoveryService", noun: "Routes", only: routeType },
  { name: "envoy.service.discovery.v2.SecretDiscoveryService", noun: "Secrets", only: secretType },
];

/** The methods of all services by path, each in SotW and delta. */
export function discoveryMethods(
  serve: (stream: GrpcStream, kind: StreamKind) => void,
): ReadonlyMap<string, (stream: GrpcStream) => void> {
  return new Map(
    discoveryServices.flatMap(({ name, noun, only }) => {
      const type = only === undefined ? {} : { only };
      return [
        [`/${name}/Stream${noun}`, (stream: GrpcStream) => serve(stream, { mode: "sotw", ...type })] as const,
        [`/${name}/Delta${noun}`, (stream: GrpcStream) => serve(stream, { mode: "delta", ...type })] as const,
      ];
    }),
  );
}
