import { ClusterConfigSchema } from "#gen/envoy/extensions/clusters/dynamic_forward_proxy/v3/cluster_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Service } from "../../../model/service/service.ts";
import type { ClusterClient } from "../cluster-client.ts";
import type { NamesFromRequest } from "../http-protocol-options.ts";
import { lookupFamilyOf } from "./dns-options.ts";

interface ForwardProxyInputs {
  readonly service: Service;
  readonly client: ClusterClient;
  /** Undefined when TLS, if any, does not take its names from requests. */
  readonly names: NamesFromRequest | undefined;
}

/** The cluster of a wildcard host: each request names its host, and Envoy resolves the host. */
export function forwardProxyType({ service, client, names }: ForwardProxyInputs, writer: ProtoWriter) {
  const dnsCacheConfig = { name: dnsCacheName(service), dnsLookupFamily: lookupFamilyOf(service, client) };
  const typedConfig = writer.any(ClusterConfigSchema, {
    clusterImplementationSpecifier: { case: "dnsCacheConfig", value: dnsCacheConfig },
    // Envoy requires its own SAN validation for the requested host, unless it is disabled.
    allowInsecureClusterOptions: names?.autoSni !== true || !names.autoSanValidation,
  });
  return { case: "clusterType", value: { name: "envoy.clusters.dynamic_forward_proxy", typedConfig } } as const;
}

/** The filter in front of the cluster resolves into the same cache. */
function dnsCacheName({ hostname }: Pick<Service, "hostname">): string {
  return `${hostname}_dfp_dns_cache`;
}
