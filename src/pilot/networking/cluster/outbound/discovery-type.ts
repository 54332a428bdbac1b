import { isWildcard } from "../../../../config/grammar/hostname.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { Port, Protocol, Resolution, Service } from "../../../model/service/service.ts";
import type { PortPolicy } from "../../../model/traffic/destination-rule.ts";

/** How Envoy finds the endpoints of a cluster. */
export type DiscoveryType = "eds" | "strict-dns" | "logical-dns" | "original-dst" | "forward-proxy";

const typeOfResolution: Readonly<Record<Resolution, DiscoveryType>> = {
  static: "eds",
  passthrough: "original-dst",
  dns: "strict-dns",
  "dns-round-robin": "logical-dns",
  "dynamic-dns": "forward-proxy",
};

/** Undefined when the cluster does not exist. */
export function discoveryTypeOf(
  { resolution, racesAddresses, hostname }: Service,
  { protocol }: Pick<Port, "protocol">,
  { loadBalancer }: PortPolicy,
  client: Proxy["type"],
): DiscoveryType | undefined {
  const type = typeOfResolution[resolution];
  // Resolution per request needs a protocol whose requests name the host, and a wildcard hostname.
  if (type === "forward-proxy") return isWildcard(hostname) && protocolsWithHost.has(protocol) ? type : undefined;
  if (loadBalancer?.algorithm === "passthrough") return "original-dst";
  // A router has no original destination, so it uses EDS for passthrough services.
  if (type === "original-dst" && client === "router") return "eds";
  return racesAddresses ? "logical-dns" : type;
}

const protocolsWithHost: ReadonlySet<Protocol> = new Set(["HTTP", "HTTP2", "GRPC", "TLS"]);
