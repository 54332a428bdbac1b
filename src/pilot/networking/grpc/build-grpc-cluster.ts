import { Cluster_DiscoveryType, Cluster_LbPolicy, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { isIpAddress } from "../../../config/grammar/address.ts";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import {
  type Endpoint,
  type Port,
  type Service,
  type ServiceEndpoints,
  unixPath,
} from "../../model/service/service.ts";
import type { ServicePeers } from "../../model/service/service-peers.ts";
import type {
  ConsistentHash,
  DestinationPolicy,
  DestinationRule,
  Subset,
} from "../../model/traffic/destination-rule.ts";
import { addressOf } from "../address.ts";
import { adsSource } from "../ads-source.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { effectivePolicy } from "../cluster/traffic-policy.ts";
import { selectEndpoints } from "../endpoint/select-endpoints.ts";
import { makeResource } from "../make-resource.ts";
import { peerNames } from "../secret/peer-names.ts";
import { grpcClientSocket } from "./grpc-sockets.ts";

/** All inputs of a proxyless client's cluster. */
export interface GrpcClusterInputs {
  readonly service: Service;
  readonly port: Port;
  readonly rule: DestinationRule | undefined;
  readonly subset: Subset | undefined;
  readonly mesh: MeshSettings;
  readonly peers: ServicePeers | undefined;
  /** Only of services that the client resolves itself: otherwise they must not change the cluster. */
  readonly endpoints: ServiceEndpoints | undefined;
}

/** The cluster of a port, and of a subset, for clients without a proxy. Equal inputs give the same object. */
export function buildGrpcCluster(inputs: GrpcClusterInputs, writer: ProtoWriter): Resource {
  const { service, port, rule, subset, mesh, peers, endpoints } = inputs;
  return buildCluster([service, port, rule, subset, mesh, peers, endpoints, writer]);
}

type Held = readonly [
  Service,
  Port,
  GrpcClusterInputs["rule"],
  GrpcClusterInputs["subset"],
  MeshSettings,
  GrpcClusterInputs["peers"],
  GrpcClusterInputs["endpoints"],
  ProtoWriter,
];

const buildCluster = memoize(([service, port, rule, subset, mesh, peers, endpoints, writer]: Held): Resource => {
  const name = clusterName(port.number, subset?.name ?? "", service.hostname);
  const resolved = nameToResolve(endpoints, port, subset);
  const policy = effectivePolicy(rule, subset, port.number, mesh);
  const content = { resolved, policy, names: peerNames(service, peers, mesh) };
  const owners = [service.owner, ...(rule?.owners ?? []), ...(endpoints?.owners ?? [])];
  return makeResource({ name, any: encodeCluster(name, content, writer), owners });
});

/**
 * A cluster without endpoints, for a name in a route without a service: calls to it fail at once. A client without the
 * cluster waits for it, and blocks all other calls of the channel.
 */
export function emptyGrpcCluster(name: string, writer: ProtoWriter): Resource {
  return makeResource({ name, any: encodeCluster(name, nothing, writer), owners: [] });
}

interface Content {
  /** The name to be looked up; undefined for a cluster whose endpoints come by EDS. */
  readonly resolved: Endpoint | undefined;
  readonly policy: DestinationPolicy | undefined;
  /** SANs that servers with mesh mTLS may have. */
  readonly names: readonly string[];
}

const nothing: Content = { resolved: undefined, policy: undefined, names: [] };

/**
 * Uses hash balancing if a rule configures it, else round robin. A client rejects a cluster with an unknown algorithm,
 * and clients know few others. Mesh mTLS needs a rule, because a client cannot use it for only some endpoints.
 */
function encodeCluster(name: string, { resolved, policy, names }: Content, writer: ProtoWriter): Uint8Array {
  const type = resolved === undefined ? Cluster_DiscoveryType.EDS : Cluster_DiscoveryType.LOGICAL_DNS;
  const maxRequests = policy?.connectionPool?.maxRequests ?? 0;
  const hash = policy?.loadBalancer?.consistentHash;
  return writer.any(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: type },
    edsClusterConfig: resolved === undefined ? { edsConfig: adsSource, serviceName: name } : undefined,
    lbPolicy: hash === undefined ? Cluster_LbPolicy.ROUND_ROBIN : Cluster_LbPolicy.RING_HASH,
    lbConfig: ringOf(hash),
    loadAssignment: resolved === undefined ? undefined : singleEndpoint(name, resolved),
    circuitBreakers: maxRequests > 0 ? { thresholds: [{ maxRequests }] } : undefined,
    transportSocket: policy?.tls?.mode === "istio-mutual" ? grpcClientSocket(policy.tls, names, writer) : undefined,
  });
}

/** Clients do not support Maglev, and its size does not fit a ring. */
function ringOf(hash: ConsistentHash | undefined) {
  if (hash === undefined || hash.algorithm === "maglev" || hash.size === 0) return undefined;
  return { case: "ringHashLbConfig", value: { minimumRingSize: BigInt(hash.size) } } as const;
}

/** Clients accept exactly one name here. */
function singleEndpoint(clusterName: string, { address, port }: Endpoint) {
  const hostIdentifier = { case: "endpoint", value: { address: addressOf(address, port) } } as const;
  return { clusterName, endpoints: [{ locality: {}, lbEndpoints: [{ hostIdentifier }] }] };
}

/** The one that a client looks up; undefined when there are only addresses, which need no looking up and may be many. */
export function nameToResolve(
  endpoints: ServiceEndpoints | undefined,
  port: Port,
  subset: Subset | undefined,
): Endpoint | undefined {
  return selectEndpoints(endpoints, port, subset).find(
    ({ address }) => address !== "" && unixPath(address) === undefined && !isIpAddress(address),
  );
}
