import type { PortPolicy } from "../../model/destination-rule.ts";
import type { Proxy } from "../../model/proxy.ts";
import type { Resolution, Service } from "../../model/service.ts";

/** How Envoy finds the endpoints of a cluster. */
export type DiscoveryType = "eds" | "strict-dns" | "logical-dns" | "original-dst";

/** Undefined for what we do not serve: wildcard names that are to be resolved per request. */
const typeOfResolution: Readonly<Record<Resolution, DiscoveryType | undefined>> = {
  static: "eds",
  passthrough: "original-dst",
  dns: "strict-dns",
  "dns-round-robin": "logical-dns",
  "dynamic-dns": undefined,
};

/** Undefined when there is no such cluster at all. */
export function discoveryTypeOf(
  { resolution, racesAddresses }: Service,
  { loadBalancer }: PortPolicy,
  client: Proxy["type"],
): DiscoveryType | undefined {
  const type = typeOfResolution[resolution];
  if (type === undefined) return undefined;
  if (loadBalancer?.algorithm === "passthrough") return "original-dst";
  // A router has no original destination to go to, so what sidecars pass through it looks up in EDS.
  if (type === "original-dst" && client === "router") return "eds";
  return racesAddresses ? "logical-dns" : type;
}
