import { type Cluster, Cluster_DiscoveryType as DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import type { LbEndpoint } from "#gen/envoy/config/endpoint/v3/endpoint_components_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import { hostAndPort } from "../../pilot/networking/address.ts";
import { assignmentNamed, type EnvoyConfig } from "../envoy-config.ts";
import type { ExplainedEndpoint } from "../explanation.ts";
import { socketOf } from "../socket-address.ts";
import { type UpstreamSocket, upstreamSocket } from "./upstream-socket.ts";

/** An endpoint, whether the load balancer uses it, and how it is connected to. */
export interface KnownEndpoint extends ExplainedEndpoint {
  readonly healthy: boolean;
  readonly socket: UpstreamSocket;
  /** Undefined for pipes and the like. */
  readonly dialled: { readonly address: string; readonly port: number } | undefined;
}

/** The endpoints of a cluster: its own, or its load assignment. Sorted by priority, then by address. */
export function knownEndpointsOf(cluster: Cluster, config: EnvoyConfig): readonly KnownEndpoint[] {
  const localities = assignmentOf(cluster, config)?.endpoints ?? [];
  const endpoints = localities.flatMap(({ lbEndpoints, priority }) =>
    lbEndpoints.map((endpoint) => {
      const socket = upstreamSocket(cluster, endpoint.metadata);
      return {
        address: addressOf(endpoint),
        transport: socket.transport,
        priority,
        healthy: !unhealthy.has(endpoint.healthStatus),
        socket,
        dialled:
          endpoint.hostIdentifier.case === "endpoint" ? socketOf(endpoint.hostIdentifier.value.address) : undefined,
      };
    }),
  );
  return endpoints.toSorted((a, b) => a.priority - b.priority || compareTexts(a.address, b.address));
}

/** The resource name of a cluster's load assignment. */
export function assignmentName({ name, edsClusterConfig }: Cluster): string {
  return edsClusterConfig?.serviceName || name;
}

const unhealthy: ReadonlySet<HealthStatus> = new Set([
  HealthStatus.UNHEALTHY,
  HealthStatus.DRAINING,
  HealthStatus.TIMEOUT,
]);

/** Only an EDS cluster uses load assignments. */
function assignmentOf(cluster: Cluster, config: EnvoyConfig): ClusterLoadAssignment | undefined {
  const { case: how, value } = cluster.clusterDiscoveryType;
  if (how === "type" && value !== DiscoveryType.EDS) return cluster.loadAssignment;
  return cluster.loadAssignment ?? assignmentNamed(config, assignmentName(cluster));
}

function addressOf({ hostIdentifier }: LbEndpoint): string {
  if (hostIdentifier.case !== "endpoint") return hostIdentifier.value ?? "";
  const { address } = hostIdentifier.value;
  if (address?.address.case === "pipe") return `unix://${address.address.value.path}`;
  const socket = socketOf(address);
  return socket === undefined ? "" : hostAndPort(socket.address, socket.port);
}
