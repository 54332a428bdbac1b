import { clusterType, endpointType, extensionType, listenerType, routeType } from "../../xds/type-urls.ts";

/** The resource types of a proxy, with their names for people. */
export const proxyResourceTypes = [
  { name: "cluster", shortName: "CDS", plural: "clusters", typeUrl: clusterType },
  { name: "endpoint", shortName: "EDS", plural: "endpoints", typeUrl: endpointType },
  { name: "ecds", shortName: "ECDS", plural: "extensions", typeUrl: extensionType },
  { name: "listener", shortName: "LDS", plural: "listeners", typeUrl: listenerType },
  { name: "route", shortName: "RDS", plural: "routes", typeUrl: routeType },
] as const;
