import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import type { LbEndpoint } from "#gen/envoy/config/endpoint/v3/endpoint_components_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import { hostAndPort } from "../../pilot/networking/host-and-port.ts";
import type { Endpoint } from "../explanation.ts";
import type { ProxyConfig } from "../proxy-config.ts";
import { socketOf } from "../socket-address.ts";
import { transportTo } from "./transport-to.ts";

/** An endpoint, and whether the load balancer counts on it. */
export interface KnownEndpoint extends Endpoint {
  readonly healthy: boolean;
}

/** The endpoints of a cluster: its own, or those that were sent for it. By priority, then by address. */
export function endpointsOf(cluster: Cluster, config: ProxyConfig): readonly KnownEndpoint[] {
  const localities = assignmentOf(cluster, config)?.endpoints ?? [];
  const endpoints = localities.flatMap(({ lbEndpoints, priority }) =>
    lbEndpoints.map((endpoint) => ({
      address: addressOf(endpoint),
      transport: transportTo(cluster, endpoint.metadata),
      priority,
      healthy: !unhealthy.has(endpoint.healthStatus),
    })),
  );
  return endpoints.toSorted((a, b) => a.priority - b.priority || compareTexts(a.address, b.address));
}

/** The name under which endpoints are sent for a cluster. */
export function assignmentName({ name, edsClusterConfig }: Cluster): string {
  return edsClusterConfig?.serviceName || name;
}

const unhealthy: ReadonlySet<HealthStatus> = new Set([
  HealthStatus.UNHEALTHY,
  HealthStatus.DRAINING,
  HealthStatus.TIMEOUT,
]);

function assignmentOf(cluster: Cluster, { endpoints }: ProxyConfig): ClusterLoadAssignment | undefined {
  return cluster.loadAssignment ?? endpoints.find(({ clusterName }) => clusterName === assignmentName(cluster));
}

function addressOf({ hostIdentifier }: LbEndpoint): string {
  if (hostIdentifier.case !== "endpoint") return hostIdentifier.value ?? "";
  const { address } = hostIdentifier.value;
  if (address?.address.case === "pipe") return `unix://${address.address.value.path}`;
  const socket = socketOf(address);
  return socket === undefined ? "" : hostAndPort(socket.address, socket.port);
}
