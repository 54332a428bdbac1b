import type { JsonObject } from "@bufbuild/protobuf";
import {
  Cluster_DiscoveryType,
  Cluster_DnsLookupFamily,
  ClusterSchema,
} from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { CaresDnsResolverConfigSchema } from "#gen/envoy/extensions/network/dns_resolver/cares/v3/cares_dns_resolver_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { DestinationRule, PortPolicy, Subset } from "../../model/destination-rule.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service, ServiceEndpoints } from "../../model/service.ts";
import { adsSource } from "../ads-source.ts";
import { configPath } from "../config-path.ts";
import { localitiesOf } from "../endpoint/localities.ts";
import { selectEndpoints } from "../endpoint/select-endpoints.ts";
import { makeResource } from "../make-resource.ts";
import { clusterName } from "./cluster-name.ts";
import { circuitBreakersOf, upstreamConnectionOptionsOf } from "./connection-pool.ts";
import type { DiscoveryType } from "./discovery-type.ts";
import { discoveryTypeOf } from "./discovery-type.ts";
import { httpProtocolOptionsName, httpProtocolOptionsOf } from "./http-protocol-options.ts";
import { lbConfigOf, lbPolicyOf } from "./load-balancing.ts";
import { outlierDetectionOf } from "./outlier-detection.ts";
import { effectivePolicy } from "./traffic-policy.ts";

/** All that a cluster depends on. */
export interface ClusterInputs {
  readonly service: Service;
  readonly port: Port;
  readonly rule: DestinationRule | undefined;
  readonly subset: Subset | undefined;
  readonly mesh: MeshSettings;
  /** Part of the cluster when Envoy resolves names itself; otherwise undefined, so that they do not change it. */
  readonly endpoints: ServiceEndpoints | undefined;
}

const built = new Memo<Resource | undefined>();
const absent = {};

/** Undefined when there can be no such cluster: nothing to resolve, or a kind of service we do not serve. */
export function buildCluster(inputs: ClusterInputs, writer: ProtoWriter): Resource | undefined {
  const { service, port, rule, subset, mesh, endpoints } = inputs;
  const id = `${port.number}|${subset?.name ?? ""}`;
  const objects = [service, rule ?? absent, mesh, endpoints ?? absent, writer];
  return built.get(objects, id, () => {
    const policy = effectivePolicy(rule, subset, port.number, mesh);
    const type = discoveryTypeOf(service, policy);
    return type === undefined ? undefined : encodeCluster(inputs, policy, type, writer);
  });
}

function encodeCluster(
  inputs: ClusterInputs,
  policy: PortPolicy,
  type: DiscoveryType,
  writer: ProtoWriter,
): Resource | undefined {
  const { service, port, rule, subset, mesh } = inputs;
  const name = clusterName(port.number, subset?.name ?? "", service.hostname);
  const dns = type === "strict-dns" || type === "logical-dns" ? dnsOf(inputs, name, writer) : undefined;
  if (dns?.loadAssignment.endpoints.length === 0) return undefined;
  const { connectionPool: pool, outlierDetection: outliers } = policy;
  const protocolOptions = httpProtocolOptionsOf(port, pool, mesh.h2Upgrade, writer);
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${name};`,
    clusterDiscoveryType: { case: "type", value: discoveryTypes[type] },
    edsClusterConfig: type === "eds" ? { edsConfig: adsSource, serviceName: name } : undefined,
    connectTimeout: pool?.connectTimeout ?? mesh.connectTimeout,
    lbPolicy: lbPolicyOf(policy, type),
    loadAssignment: dns?.loadAssignment,
    circuitBreakers: circuitBreakersOf(pool),
    typedExtensionProtocolOptions:
      protocolOptions === undefined ? undefined : { [httpProtocolOptionsName]: protocolOptions },
    dnsRefreshRate: dns?.dnsRefreshRate,
    respectDnsTtl: dns?.respectDnsTtl,
    dnsLookupFamily: dns?.dnsLookupFamily,
    typedDnsResolverConfig: dns?.typedDnsResolverConfig,
    outlierDetection: outliers === undefined ? undefined : outlierDetectionOf(outliers),
    lbConfig: lbConfigOf(policy),
    commonLbConfig: {
      healthyPanicThreshold: outliers === undefined ? undefined : { value: outliers.minHealthPercent },
    },
    metadata: { filterMetadata: { istio: metadataOf(service, rule, subset) } },
    upstreamConnectionOptions: upstreamConnectionOptionsOf(pool?.tcpKeepalive, mesh.tcpKeepalive),
    dnsJitter: dns?.dnsJitter,
  });
  const owners = [service.owner, ...(rule?.owners ?? []), ...(dns?.owners ?? [])];
  return type === "eds" ? makeResource({ name, any, owners, warmedBy: name }) : makeResource({ name, any, owners });
}

const discoveryTypes: Readonly<Record<DiscoveryType, Cluster_DiscoveryType>> = {
  eds: Cluster_DiscoveryType.EDS,
  "strict-dns": Cluster_DiscoveryType.STRICT_DNS,
  "logical-dns": Cluster_DiscoveryType.LOGICAL_DNS,
  "original-dst": Cluster_DiscoveryType.ORIGINAL_DST,
};

function dnsOf({ mesh, endpoints, port, subset }: ClusterInputs, name: string, writer: ProtoWriter) {
  const selected = selectEndpoints(endpoints, port, subset);
  return {
    loadAssignment: { clusterName: name, endpoints: localitiesOf(selected, writer) },
    dnsRefreshRate: mesh.dnsRefreshRate,
    respectDnsTtl: true,
    dnsLookupFamily: Cluster_DnsLookupFamily.V4_ONLY,
    typedDnsResolverConfig: {
      name: "envoy.network.dns_resolver.cares",
      typedConfig: writer.any(CaresDnsResolverConfigSchema, { udpMaxQueries: 100 }),
    },
    dnsJitter: { seconds: 0n, nanos: 100_000_000 },
    owners: endpoints?.owners ?? [],
  };
}

function metadataOf(service: Service, rule: DestinationRule | undefined, subset: Subset | undefined) {
  const { hostname, namespace } = service;
  const metadata: JsonObject = { services: [{ host: hostname, name: nameOf(service), namespace }] };
  if (rule !== undefined) metadata["config"] = configPath("destination-rule", rule.namespace, rule.name);
  if (subset !== undefined) metadata["subset"] = subset.name;
  else if (service.meshExternal) metadata["external"] = true;
  return metadata;
}

/** Kubernetes services go by their short name, others by their host. */
function nameOf({ registry, hostname }: Service): string {
  const dot = hostname.indexOf(".");
  return registry === "Kubernetes" && dot > 0 ? hostname.slice(0, dot) : hostname;
}
