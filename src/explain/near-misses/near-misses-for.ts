import { clusterMisses } from "./cluster-misses.ts";
import { gatewayMisses } from "./gateway-misses.ts";
import type { Lookup, LookupContext, NearMiss } from "./near-miss.ts";
import { serviceMisses } from "./service-misses.ts";
import { virtualServiceMisses } from "./virtual-service-misses.ts";

/**
 * The objects that come closest to what a proxy looked for in vain, and what keeps each from being it. They are read
 * from the mesh itself: what a proxy is sent does not show what it is not sent.
 */
export function nearMissesFor(context: LookupContext, { host, clusters }: Lookup): readonly NearMiss[] {
  const found = clusters.flatMap((cluster) => clusterMisses(context, cluster));
  if (host === undefined) return unique(found);
  const first = context.proxy.type === "router" ? gatewayMisses(context, host) : serviceMisses(context, host);
  return unique([...first, ...virtualServiceMisses(context, host), ...found]);
}

function unique(misses: readonly NearMiss[]): readonly NearMiss[] {
  return [...new Map(misses.map((miss) => [`${miss.object} ${miss.why}`, miss])).values()];
}
