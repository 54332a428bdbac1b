import type { VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";

/** Envoy's choice: the exact domain, else the longest `*.suffix`, else the longest `prefix*`, else `*`. */
export function findVirtualHost(routes: RouteConfiguration, host: string): VirtualHost | undefined {
  const name = (routes.ignorePortInHostMatching ? withoutPort(host) : host).toLowerCase();
  let best: { readonly rank: number; readonly host: VirtualHost } | undefined;
  for (const virtualHost of routes.virtualHosts) {
    for (const domain of virtualHost.domains) {
      const rank = rankOf(domain.toLowerCase(), name);
      if (rank > (best?.rank ?? 0)) best = { rank, host: virtualHost };
    }
  }
  return best?.host;
}

const exact = 3e6;
const suffix = 2e6;
const prefix = 1e6;

/** 0 for no match; within one kind the longer domain ranks higher. Domains are far shorter than the steps. */
function rankOf(domain: string, name: string): number {
  if (domain === name) return exact;
  if (domain === "*") return 1;
  if (domain.startsWith("*")) return isLongerEnd(name, domain.slice(1)) ? suffix + domain.length : 0;
  if (!domain.endsWith("*")) return 0;
  const start = domain.slice(0, -1);
  return name.startsWith(start) && name.length > start.length ? prefix + domain.length : 0;
}

function isLongerEnd(name: string, end: string): boolean {
  return name.endsWith(end) && name.length > end.length;
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/u, "");
}
