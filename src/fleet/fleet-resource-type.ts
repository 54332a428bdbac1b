import type { DescMessage } from "@bufbuild/protobuf";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";

/** The types that the proxies of a fleet request. */
export type FleetResourceType = "CDS" | "EDS" | "LDS" | "RDS" | "VHDS";

/** In the request order of a healthy Envoy. */
export const fleetResourceTypes: readonly FleetResourceType[] = ["CDS", "EDS", "LDS", "RDS", "VHDS"];

export const typeUrls: Readonly<Record<FleetResourceType, string>> = {
  CDS: typeUrlOf(ClusterSchema),
  EDS: typeUrlOf(ClusterLoadAssignmentSchema),
  LDS: typeUrlOf(ListenerSchema),
  RDS: typeUrlOf(RouteConfigurationSchema),
  VHDS: typeUrlOf(VirtualHostSchema),
};

const byTypeUrl = new Map(fleetResourceTypes.map((type) => [typeUrls[type], type]));

/** Undefined for a type that no proxy of a fleet requests. */
export function resourceTypeOf(typeUrl: string): FleetResourceType | undefined {
  return byTypeUrl.get(typeUrl);
}

/** Types that name clusters. Traffic fails while a named cluster is missing. */
export const typesNamingClusters: readonly FleetResourceType[] = ["LDS", "RDS", "VHDS"];

/** Makes one value per type. */
export function perType<T>(make: (type: FleetResourceType) => T): Record<FleetResourceType, T> {
  return { CDS: make("CDS"), EDS: make("EDS"), LDS: make("LDS"), RDS: make("RDS"), VHDS: make("VHDS") };
}

function typeUrlOf({ typeName }: DescMessage): string {
  return `type.googleapis.com/${typeName}`;
}
