import type { JsonObject } from "@bufbuild/protobuf";
import type { Service } from "../../model/service/service.ts";
import type { ClientTls, DestinationRule, Subset } from "../../model/traffic/destination-rule.ts";
import { configPath } from "../config-path.ts";

/** Metadata of a service's cluster, for metrics and logs. Filters of the mesh read it too. */
export function clusterMetadata(
  service: Service,
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  tls: ClientTls | undefined,
): JsonObject {
  const metadata: JsonObject = { services: [serviceMetadata(service)] };
  if (rule !== undefined) metadata["config"] = rulePath(rule);
  if (subset !== undefined) metadata["subset"] = subset.name;
  else if (service.meshExternal) metadata["external"] = true;
  // Servers outside the mesh must not be offered the mesh's own protocols.
  if (tls?.mode === "simple" || tls?.mode === "mutual") metadata["alpn_override"] = "false";
  return metadata;
}

export function rulePath({ namespace, name }: DestinationRule): string {
  return configPath("destination-rule", namespace, name);
}

export function serviceMetadata(service: Service): JsonObject {
  return { host: service.hostname, name: serviceName(service), namespace: service.namespace };
}

/** Kubernetes services go by their short name, others by their host. */
export function serviceName({ registry, hostname }: Service): string {
  const dot = hostname.indexOf(".");
  return registry === "Kubernetes" && dot > 0 ? hostname.slice(0, dot) : hostname;
}
