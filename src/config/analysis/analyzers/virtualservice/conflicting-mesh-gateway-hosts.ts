import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Config } from "../../../config.ts";
import { meshGateway } from "../../../grammar/gateway-reference.ts";
import { fullHostname } from "../../../grammar/hostname.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { everywhere, exportScopes } from "../../facts/export-scope.ts";
import { askedWildcards, HostIndex } from "../../facts/host-index.ts";
import { listedGroups, listedTexts } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const conflictingMeshGatewayHosts: Analyzer = {
  name: "virtualservice.ConflictingMeshGatewayHostsAnalyzer",
  description: "Virtual services that claim the same host for the sidecars of the same namespace",
  inputs: [virtualService],
  analyze(context) {
    const claims = context.all(virtualService).flatMap((config) => claimsOf(config, context.domain));
    const rivalsOf = rivalsAmong(claims);
    for (const [config, own] of Map.groupBy(claims, (claim) => claim.config)) {
      const conflicts = own.map((claim) => ({ ...claim, rivals: rivalsOf(claim) })).filter(hasRivals);
      if (conflicts.length === 0) continue;
      const hosts = new Set(conflicts.map((conflict) => conflict.host));
      const about = { config, path: conflicts[0]?.path ?? "spec.hosts" };
      context.report(messages.conflictingMeshGatewayHosts, about, {
        host: listedTexts([...hosts].toSorted(compareTexts)),
        objects: listedGroups([[config], ...new Set(conflicts.flatMap(({ rivals }) => rivals))]),
      });
    }
  },
};

/** One host of a virtual service, for the sidecars of one namespace or of all. */
interface Claim {
  readonly config: Config<VirtualService>;
  readonly path: string;
  readonly scope: string;
  readonly host: string;
}

function claimsOf(config: Config<VirtualService>, domain: string): readonly Claim[] {
  const { hosts, gateways, exportTo } = config.spec;
  if (gateways.length > 0 && !gateways.includes(meshGateway)) return [];
  return exportScopes(exportTo, config.namespace).flatMap((scope) =>
    hosts.map((host, index) => {
      return { config, path: `spec.hosts[${index}]`, scope, host: fullHostname(host, config.namespace, domain) };
    }),
  );
}

/** Virtual services by name, a list for each claim that they share. */
type Rivals = readonly (readonly Config[])[];

function hasRivals({ rivals }: { readonly rivals: Rivals }): boolean {
  return rivals.length > 0;
}

/**
 * Within a scope only equal hosts conflict, because a more specific host wins over a wildcard. A host of a single
 * namespace always wins there, so any overlapping host for all namespaces conflicts with it.
 */
function rivalsAmong(claims: readonly Claim[]): (own: Claim) => Rivals {
  const asked = askedWildcards(claims.map(({ host }) => host));
  const equal = new Map<string, Config[]>();
  const shared = new HostIndex<Config>(asked);
  const scoped = new HostIndex<Config>(asked);
  for (const { config, scope, host } of claims) {
    const key = JSON.stringify([scope, host]);
    const same = equal.get(key);
    if (same === undefined) equal.set(key, [config]);
    else if (same.at(-1) !== config) same.push(config);
    (scope === everywhere ? shared : scoped).add(host, config);
  }
  return ({ config, scope, host }) => {
    const same = equal.get(JSON.stringify([scope, host])) ?? [];
    const fitting = (scope === everywhere ? scoped : shared).groups(host);
    return [same, ...fitting].filter((group) => group.some((other) => other !== config));
  };
}
