import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { ClusterClient } from "../../model/cluster-client.ts";
import { clusterClientId } from "../../model/cluster-client.ts";
import type { DestinationRule, PortPolicy, Subset } from "../../model/destination-rule.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service, ServiceEndpoints } from "../../model/service.ts";
import type { ServicePeers } from "../../model/service-peers.ts";
import { adsSource } from "../ads-source.ts";
import { keepsSessions } from "../endpoint/keeps-sessions.ts";
import { localitiesOf } from "../endpoint/localities.ts";
import { markEndpoints } from "../endpoint/mark-endpoints.ts";
import { selectEndpoints } from "../endpoint/select-endpoints.ts";
import { makeResource } from "../make-resource.ts";
import { clusterMetadata } from "./cluster-metadata.ts";
import { serviceClusterName } from "./cluster-name.ts";
import { circuitBreakersOf, upstreamConnectionOptionsOf } from "./connection-pool.ts";
import type { DiscoveryType } from "./discovery-type.ts";
import { discoveryTypeOf } from "./discovery-type.ts";
import { dnsOptionsOf } from "./dns-options.ts";
import { emptyCluster } from "./empty-cluster.ts";
import type { UpstreamHttp } from "./http-protocol-options.ts";
import { httpProtocolOptionsOf, upgradesToHttp2, upstreamHttpOf } from "./http-protocol-options.ts";
import { commonLbConfigOf, lbConfigOf, lbPolicyOf } from "./load-balancing.ts";
import { clusterFilters } from "./metadata-exchange.ts";
import { outlierDetectionOf } from "./outlier-detection.ts";
import { effectivePolicy } from "./traffic-policy.ts";
import { transportSockets } from "./transport-sockets.ts";
import type { UpstreamTls } from "./upstream-tls.ts";
import { upstreamTlsOf } from "./upstream-tls.ts";

/** All that a cluster depends on. */
export interface ClusterInputs {
  readonly service: Service;
  /** Of the service. */
  readonly port: Port;
  readonly rule: DestinationRule | undefined;
  /** Of the rule. */
  readonly subset: Subset | undefined;
  readonly mesh: MeshSettings;
  readonly client: ClusterClient;
  readonly peers: ServicePeers | undefined;
  /** Part of the cluster when Envoy resolves names itself; otherwise undefined, so that they do not change it. */
  readonly endpoints: ServiceEndpoints | undefined;
  /** Takes connections that are TLS of the mesh already, and passes them on unopened: a gateway's, named by their SNI. */
  readonly unopened?: boolean;
}

const built = new Memo<Resource | undefined>();
const absent = {};

/** Undefined when there can be no such cluster: nothing to resolve, or a kind of service we do not serve. */
export function buildCluster(inputs: ClusterInputs, writer: ProtoWriter): Resource | undefined {
  const { service, port, rule, subset, mesh, client, peers, endpoints } = inputs;
  const id = `${nameOf(inputs)}|${clusterClientId(client)}`;
  const objects = [service, rule ?? absent, mesh, peers ?? absent, endpoints ?? absent, writer];
  return built.get(objects, id, () => {
    const policy = effectivePolicy(rule, subset, port.number, mesh);
    const discovery = discoveryTypeOf(service, policy, client.type);
    return discovery === undefined ? undefined : secureCluster(inputs, { policy, discovery }, writer);
  });
}

/** What many fields of a cluster follow from. */
interface Plan {
  readonly policy: PortPolicy;
  readonly discovery: DiscoveryType;
}

interface SecurePlan extends Plan {
  readonly http: UpstreamHttp;
  readonly tls: Exclude<UpstreamTls, { readonly type: "impossible" }>;
}

function secureCluster(inputs: ClusterInputs, plan: Plan, writer: ProtoWriter): Resource | undefined {
  const { port, mesh, client, subset } = inputs;
  const { connectionPool: pool } = plan.policy;
  const upgrades = upgradesToHttp2(port.protocol, pool, mesh.h2Upgrade);
  const http = upstreamHttpOf({ protocol: port.protocol, pool, sniffs: client.type === "sidecar", upgrades });
  const tls: UpstreamTls = inputs.unopened
    ? { type: "plain" }
    : upstreamTlsOf({ ...inputs, ...plan, subset: subset?.name ?? "", http2: http === "http2" }, writer);
  // Plain text where TLS was asked for would be the worse answer.
  return tls.type === "impossible"
    ? unreachableCluster(inputs, plan, writer)
    : encodeCluster(inputs, { ...plan, http, tls }, writer);
}

function unreachableCluster(inputs: ClusterInputs, { policy }: Plan, writer: ProtoWriter): Resource {
  const { service, rule, subset, mesh } = inputs;
  const metadata = clusterMetadata(service, rule, subset, policy.tls);
  return emptyCluster({ name: nameOf(inputs), mesh, metadata, owners: ownersOf(inputs) }, writer);
}

function encodeCluster(inputs: ClusterInputs, plan: SecurePlan, writer: ProtoWriter): Resource | undefined {
  const { service, port, rule, subset, mesh, client } = inputs;
  const { policy, discovery, http, tls } = plan;
  const { connectionPool: pool, outlierDetection: outliers } = policy;
  const name = nameOf(inputs);
  const dns = discovery === "strict-dns" || discovery === "logical-dns" ? dnsOf(inputs, name, writer) : undefined;
  if (dns?.loadAssignment.endpoints.length === 0) return undefined;
  const names = tls.type === "always" ? tls.names : undefined;
  const sockets = transportSockets(tls, writer);
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${name};`,
    clusterDiscoveryType: { case: "type", value: discoveryTypes[discovery] },
    edsClusterConfig: discovery === "eds" ? { edsConfig: adsSource, serviceName: name } : undefined,
    connectTimeout: pool?.connectTimeout ?? mesh.connectTimeout,
    lbPolicy: lbPolicyOf(policy, discovery),
    loadAssignment: dns?.loadAssignment,
    circuitBreakers: circuitBreakersOf(pool),
    typedExtensionProtocolOptions: httpProtocolOptionsOf(http, pool, names, writer),
    dnsRefreshRate: dns?.options.dnsRefreshRate,
    respectDnsTtl: dns?.options.respectDnsTtl,
    dnsLookupFamily: dns?.options.dnsLookupFamily,
    typedDnsResolverConfig: dns?.options.typedDnsResolverConfig,
    outlierDetection: outliers === undefined ? undefined : outlierDetectionOf(outliers),
    lbConfig: lbConfigOf(policy, discovery, portOverride(service, port)),
    commonLbConfig: commonLbConfigOf(outliers, keepsSessions(service)),
    transportSocket: sockets.transportSocket,
    metadata: {
      filterMetadata: { istio: clusterMetadata(service, rule, subset, inputs.unopened ? undefined : policy.tls) },
    },
    upstreamConnectionOptions: upstreamConnectionOptionsOf(pool?.tcpKeepalive, mesh.tcpKeepalive),
    filters: clusterFilters(client.capabilities, writer),
    transportSocketMatches: sockets.transportSocketMatches,
    dnsJitter: dns?.options.dnsJitter,
  });
  const resource = { name, any, owners: ownersOf(inputs) };
  return makeResource(discovery === "eds" ? { ...resource, warmedBy: name } : resource);
}

const discoveryTypes: Readonly<Record<DiscoveryType, Cluster_DiscoveryType>> = {
  eds: Cluster_DiscoveryType.EDS,
  "strict-dns": Cluster_DiscoveryType.STRICT_DNS,
  "logical-dns": Cluster_DiscoveryType.LOGICAL_DNS,
  "original-dst": Cluster_DiscoveryType.ORIGINAL_DST,
};

function nameOf({ service, port, subset, unopened = false }: ClusterInputs): string {
  return serviceClusterName(service, port, subset, unopened);
}

function ownersOf({ service, rule, endpoints }: ClusterInputs): readonly ConfigId[] {
  return [service.owner, ...(rule?.owners ?? []), ...(endpoints?.owners ?? [])];
}

function dnsOf(inputs: ClusterInputs, name: string, writer: ProtoWriter) {
  const { service, port, rule, subset, mesh, client, endpoints } = inputs;
  const selected = markEndpoints(selectEndpoints(endpoints, port, subset), rule, subset, port.number);
  return {
    loadAssignment: { clusterName: name, endpoints: localitiesOf(selected, writer) },
    options: dnsOptionsOf(service, client, mesh, writer),
  };
}

/** An entry's target port holds also where connections keep the address they were going to. */
function portOverride({ resolution, registry }: Service, { number, targetPort }: Port): number | undefined {
  const passesThrough = resolution === "passthrough" && registry === "External";
  return passesThrough && targetPort !== number ? targetPort : undefined;
}
