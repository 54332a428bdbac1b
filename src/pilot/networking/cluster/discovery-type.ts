import type { PortPolicy } from "../../model/destination-rule.ts";
import type { Resolution, Service } from "../../model/service.ts";

/** How Envoy finds the endpoints of a cluster. */
export type DiscoveryType = "eds" | "strict-dns" | "logical-dns" | "original-dst";

/** Undefined for what a router cannot reach: wildcard names that are to be resolved per request. */
const typeOfResolution: Readonly<Record<Resolution, DiscoveryType | undefined>> = {
  static: "eds",
  // A router has no original destination to go to, so what sidecars pass through it looks up in EDS.
  passthrough: "eds",
  dns: "strict-dns",
  "dns-round-robin": "logical-dns",
  "dynamic-dns": undefined,
};

/** Undefined when there is no such cluster at all. */
export function discoveryTypeOf({ resolution }: Service, { loadBalancer }: PortPolicy): DiscoveryType | undefined {
  const type = typeOfResolution[resolution];
  return type !== undefined && loadBalancer?.algorithm === "passthrough" ? "original-dst" : type;
}
