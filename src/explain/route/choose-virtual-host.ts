import {
  VirtualHost_TlsRequirementType as TlsRequirement,
  type VirtualHost,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { ownersIn } from "../envoy-config.ts";
import { chosen, type PassedOver, refused, type StageResult } from "../explanation.ts";
import { type SimulatedRequest, withoutPort } from "../simulated-request.ts";

/** Envoy's choice: the exact domain, else the longest `*suffix`, else the longest `prefix*`, else `*`. */
export function chooseVirtualHost(routes: RouteConfiguration, { host }: SimulatedRequest): StageResult<VirtualHost> {
  const name = (routes.ignorePortInHostMatching ? withoutPort(host) : host).toLowerCase();
  const best = bestDomain(routes, name);
  const passedOver = best === undefined || best.domain === "*" ? namesakes(routes, name) : [];
  if (best === undefined) {
    return refused(`no virtual host of ${routes.name} serves ${name}`, { status: 404, passedOver });
  }
  const { virtualHost, domain } = best;
  const { name: hostName, metadata, requireTls } = virtualHost;
  const notes = requireTls === TlsRequirement.NONE ? [] : ["it requires TLS"];
  const why = reasonFor(domain, name);
  return chosen(virtualHost, {
    type: "virtual host",
    name: hostName,
    why,
    notes,
    passedOver,
    owners: ownersIn(metadata),
  });
}

/** Hosts with the same first label. A request that ends at the catch-all host may have meant one of them. */
function namesakes({ virtualHosts }: RouteConfiguration, name: string): readonly PassedOver[] {
  const [label] = name.split(/[.:]/u);
  return virtualHosts
    .filter(({ domains }) => domains.some((domain) => domain.split(/[.:]/u)[0] === label))
    .map((host) => ({ name: host.name, why: `its domains are ${host.domains.join(", ")}` }));
}

interface Domain {
  readonly virtualHost: VirtualHost;
  readonly domain: string;
  readonly rank: number;
}

function bestDomain({ virtualHosts }: RouteConfiguration, name: string): Domain | undefined {
  let best: Domain | undefined;
  for (const virtualHost of virtualHosts) {
    for (const domain of virtualHost.domains) {
      const rank = rankOf(domain.toLowerCase(), name);
      if (rank > (best?.rank ?? 0)) best = { virtualHost, domain, rank };
    }
  }
  return best;
}

function reasonFor(domain: string, name: string): string {
  if (domain === "*") return `no other serves ${name}, and its domain * takes every host`;
  return domain.includes("*") ? `its domain ${domain} covers ${name}` : `${domain} is one of its domains`;
}

const exact = 3e6;
const suffix = 2e6;
const prefix = 1e6;

/** 0 for no match; within one kind the longer domain ranks higher. Domains are far shorter than the steps. */
function rankOf(domain: string, name: string): number {
  if (domain === "*") return 1;
  if (domain === name) return exact;
  if (domain.startsWith("*")) return isLongerEnd(name, domain.slice(1)) ? suffix + domain.length : 0;
  if (!domain.endsWith("*")) return 0;
  const start = domain.slice(0, -1);
  return name.startsWith(start) && name.length > start.length ? prefix + domain.length : 0;
}

function isLongerEnd(name: string, end: string): boolean {
  return name.endsWith(end) && name.length > end.length;
}
