import { clusterType, endpointType, extensionType, listenerType, routeType } from "../../xds/type-urls.ts";

/** The resource types of a proxy, with their names for people. */
export const proxyResourceTypes = [
  { name: "cluster", plural: "clusters", typeUrl: clusterType },
  { name: "endpoint", plural: "endpoints", typeUrl: endpointType },
  { name: "ecds", plural: "extensions", typeUrl: extensionType },
  { name: "listener", plural: "listeners", typeUrl: listenerType },
  { name: "route", plural: "routes", typeUrl: routeType },
] as const;
