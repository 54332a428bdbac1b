import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { ConfigId } from "../../../../config/config.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { unknownLocation } from "../../../model/location/proxy-location.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import type { Resource } from "../../../model/resource.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import type { ServicePeers } from "../../../model/service/service-peers.ts";
import type { DestinationPolicy } from "../../../model/traffic/destination-rule.ts";
import { adsSource } from "../../ads-source.ts";
import {
  type AssignmentFacts,
  type AssignmentHeld,
  type AssignmentInputs,
  assignedGroups,
  assignmentFacts,
  assignmentHeld,
  assignmentInputs,
} from "../../endpoint/assigned-groups.ts";
import { encodeGroups } from "../../endpoint/endpoint-group.ts";
import { localitySettingOf } from "../../endpoint/locality-policy.ts";
import { clusterFilters } from "../../filters/metadata-exchange.ts";
import { makeResource } from "../../make-resource.ts";
import type { ClusterClient } from "../cluster-client.ts";
import { clusterMetadata } from "../cluster-metadata.ts";
import { serviceClusterName } from "../cluster-name.ts";
import { circuitBreakersOf, upstreamConnectionOptionsOf } from "../connection-pool.ts";
import { emptyCluster } from "../empty-cluster.ts";
import {
  httpProtocolOptionsOf,
  keepsHeaderCase,
  type UpstreamHttp,
  upgradesToHttp2,
  upstreamHttpOf,
} from "../http-protocol-options.ts";
import { statName } from "../stat-name.ts";
import { effectivePolicy } from "../traffic-policy.ts";
import { type DiscoveryType, discoveryTypeOf } from "./discovery-type.ts";
import { dnsOptionsOf } from "./dns-options.ts";
import { forwardProxyType } from "./forward-proxy.ts";
import { commonLbConfigOf, lbConfigOf, lbPolicyOf } from "./load-balancing.ts";
import { buildOutlierDetection } from "./outlier-detection.ts";
import { transportSockets } from "./transport-sockets.ts";
import { type UpstreamTls, upstreamTlsOf } from "./upstream-tls.ts";

/**
 * All inputs of a cluster. Its endpoints are an input only when Envoy resolves names itself; otherwise they are
 * undefined, so that they do not change it. With `sniDnat` the cluster passes mesh mTLS connections of a gateway
 * through, by their SNI.
 */
export interface OutboundClusterInputs extends AssignmentInputs {
  readonly client: ClusterClient;
  readonly peers: ServicePeers | undefined;
  /** The mTLS mode of the service's namespace. */
  readonly mtls: MtlsMode;
}

/** Undefined when no such cluster can exist: no name to resolve, or an unsupported resolution. */
export function buildOutboundCluster(inputs: OutboundClusterInputs, writer: ProtoWriter): Resource | undefined {
  const { client, peers, mtls } = inputs;
  const facts = { ...assignmentFacts(inputs), client, mtls };
  // The location of a client affects only endpoints that are part of the cluster.
  const relevant = inputs.endpoints === undefined ? { ...facts, location: unknownLocation } : facts;
  return buildCluster([writer, peers, ...assignmentHeld(inputs)], relevant);
}

type Held = readonly [ProtoWriter, ServicePeers | undefined, ...AssignmentHeld];
type Facts = AssignmentFacts & Pick<OutboundClusterInputs, "client" | "mtls">;

const buildCluster = memoize(([writer, peers, ...held]: Held, { client, mtls, ...facts }: Facts) => {
  const inputs = { ...assignmentInputs(held, facts), client, peers, mtls };
  const { service, port, rule, subset, mesh } = inputs;
  const policy = effectivePolicy(rule, subset, port.number, mesh);
  const discovery = discoveryTypeOf(service, port, policy, client.type);
  if (discovery === undefined) return undefined;
  // A cluster that resolves names per request has no endpoints for a subset.
  if (discovery === "forward-proxy" && subset !== undefined) return undefined;
  return secureCluster(inputs, { policy, discovery }, writer);
});

/** Intermediate values that many fields of a cluster depend on. */
interface Plan {
  readonly policy: DestinationPolicy;
  readonly discovery: DiscoveryType;
}

interface SecurePlan extends Plan {
  readonly http: UpstreamHttp;
  readonly tls: Exclude<UpstreamTls, { readonly type: "impossible" }>;
}

function secureCluster(inputs: OutboundClusterInputs, plan: Plan, writer: ProtoWriter): Resource | undefined {
  const { port, mesh, client, subset, rule } = inputs;
  const { connectionPool: pool } = plan.policy;
  const upgrades = upgradesToHttp2(port.protocol, pool, mesh.h2Upgrade);
  const http = upstreamHttpOf({ protocol: port.protocol, pool, sniffs: client.type === "sidecar", upgrades });
  const tlsFacts = { subset: subset?.name ?? "", http2: http === "http2", selected: rule?.selector !== undefined };
  const tls: UpstreamTls = inputs.sniDnat
    ? { type: "plain" }
    : upstreamTlsOf({ ...inputs, ...plan, ...tlsFacts }, writer);
  // Plain text instead of the configured TLS would be less safe.
  return tls.type === "impossible"
    ? unreachableCluster(inputs, plan, writer)
    : encodeCluster(inputs, { ...plan, http, tls }, writer);
}

function unreachableCluster(inputs: OutboundClusterInputs, { policy }: Plan, writer: ProtoWriter): Resource {
  const { service, rule, subset, mesh } = inputs;
  const metadata = clusterMetadata(service, rule, subset, policy.tls);
  return emptyCluster({ name: nameOf(inputs), mesh, metadata, owners: ownersOf(inputs) }, writer);
}

function encodeCluster(inputs: OutboundClusterInputs, plan: SecurePlan, writer: ProtoWriter): Resource | undefined {
  const { service, port, rule, subset, mesh, client, sniDnat = false } = inputs;
  const { policy, discovery, http, tls } = plan;
  const { connectionPool: pool, outlierDetection: outliers, retryBudget } = policy;
  const name = nameOf(inputs);
  const dns = discovery === "strict-dns" || discovery === "logical-dns" ? dnsOf(inputs, name, writer) : undefined;
  if (dns?.loadAssignment.endpoints.length === 0) return undefined;
  const names = tls.type === "always" ? tls.names : undefined;
  const keepsCase = keepsHeaderCase(port.protocol, mesh);
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${statNameOf(inputs)};`,
    clusterDiscoveryType:
      discovery === "forward-proxy"
        ? forwardProxyType({ service, client, names }, writer)
        : {
            case: "type",
            value: discoveryTypes[isOneName(dns) || discovery !== "logical-dns" ? discovery : "strict-dns"],
          },
    edsClusterConfig: discovery === "eds" ? { edsConfig: adsSource, serviceName: name } : undefined,
    connectTimeout: pool?.connectTimeout ?? mesh.connectTimeout,
    lbPolicy: lbPolicyOf(policy, discovery),
    loadAssignment: dns?.loadAssignment,
    circuitBreakers: circuitBreakersOf(pool, retryBudget),
    typedExtensionProtocolOptions: httpProtocolOptionsOf(
      { http, pool, names, keepsCase, errorCodes: outliers?.errorCodes },
      writer,
    ),
    dnsRefreshRate: dns?.options.dnsRefreshRate,
    respectDnsTtl: dns?.options.respectDnsTtl,
    dnsLookupFamily: dns?.options.dnsLookupFamily,
    typedDnsResolverConfig: dns?.options.typedDnsResolverConfig,
    outlierDetection: outliers === undefined ? undefined : buildOutlierDetection(outliers),
    lbConfig: lbConfigOf(policy, discovery, portOverride(service, port)),
    commonLbConfig: commonLbConfigOf(policy, service, localitySettingOf(policy, service, mesh), discovery),
    metadata: { filterMetadata: { istio: clusterMetadata(service, rule, subset, sniDnat ? undefined : policy.tls) } },
    upstreamConnectionOptions: upstreamConnectionOptionsOf(pool?.tcpKeepalive, mesh.tcpKeepalive),
    filters: clusterFilters(client.capabilities, writer),
    ...transportSockets(tls, sniDnat ? undefined : policy.proxyProtocol, writer),
    dnsJitter: dns?.options.dnsJitter,
  });
  const resource = { name, any, owners: ownersOf(inputs) };
  return makeResource(discovery === "eds" ? { ...resource, warmedBy: name } : resource);
}

const discoveryTypes: Readonly<Record<Exclude<DiscoveryType, "forward-proxy">, Cluster_DiscoveryType>> = {
  eds: Cluster_DiscoveryType.EDS,
  "strict-dns": Cluster_DiscoveryType.STRICT_DNS,
  "logical-dns": Cluster_DiscoveryType.LOGICAL_DNS,
  "original-dst": Cluster_DiscoveryType.ORIGINAL_DST,
};

function nameOf({ service, port, subset, sniDnat = false }: OutboundClusterInputs): string {
  return serviceClusterName(service, port, subset, sniDnat);
}

function statNameOf(inputs: OutboundClusterInputs): string {
  const { service, port, subset, mesh, sniDnat } = inputs;
  if (mesh.outboundStatName === "" || sniDnat) return nameOf(inputs);
  return statName(mesh.outboundStatName, { service, port, subset: subset?.name ?? "", targetPort: 0 });
}

function ownersOf({ service, rule, endpoints }: OutboundClusterInputs): readonly ConfigId[] {
  return [service.owner, ...(rule?.owners ?? []), ...(endpoints?.owners ?? [])];
}

function dnsOf(inputs: OutboundClusterInputs, name: string, writer: ProtoWriter) {
  const { service, client, mesh } = inputs;
  return {
    loadAssignment: {
      clusterName: name,
      endpoints: encodeGroups(
        assignedGroups(inputs, () => true),
        writer,
      ),
    },
    options: dnsOptionsOf(service, client, mesh, writer),
  };
}

/** Envoy accepts exactly one name in a LOGICAL_DNS cluster. Locality rules may leave none or several. */
function isOneName(dns: ReturnType<typeof dnsOf> | undefined): boolean {
  const [group, ...others] = dns?.loadAssignment.endpoints ?? [];
  return others.length === 0 && group?.lbEndpoints.length === 1;
}

/** The target port of an entry also applies to original destinations. */
function portOverride({ resolution, registry }: Service, { number, targetPort }: Port): number | undefined {
  const passesThrough = resolution === "passthrough" && registry === "External";
  return passesThrough && targetPort !== number ? targetPort : undefined;
}
