import { Cluster_DnsLookupFamily } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { CaresDnsResolverConfigSchema } from "#gen/envoy/extensions/network/dns_resolver/cares/v3/cares_dns_resolver_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import type { ClusterClient } from "../cluster-client.ts";

/** How Envoy resolves the names in a cluster. */
export function dnsOptionsOf(service: Service, client: ClusterClient, mesh: MeshSettings, writer: ProtoWriter) {
  return {
    dnsRefreshRate: mesh.dnsRefreshRate,
    respectDnsTtl: true,
    dnsLookupFamily: lookupFamilyOf(service, client),
    typedDnsResolverConfig: {
      name: "envoy.network.dns_resolver.cares",
      typedConfig: writer.any(CaresDnsResolverConfigSchema, { udpMaxQueries: 100 }),
    },
    dnsJitter: { seconds: 0n, nanos: 100_000_000 },
  };
}

/** A dual-stack proxy prefers IPv4, unless it races all addresses. */
export function lookupFamilyOf({ racesAddresses }: Service, { families }: ClusterClient): Cluster_DnsLookupFamily {
  if (racesAddresses) return Cluster_DnsLookupFamily.ALL;
  return families === "v6" ? Cluster_DnsLookupFamily.V6_ONLY : Cluster_DnsLookupFamily.V4_ONLY;
}
