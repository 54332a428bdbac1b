import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Config } from "../../../config.ts";
import { meshGateway } from "../../../grammar/gateway-reference.ts";
import { fullHostname } from "../../../grammar/hostname.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { everywhere, exportScopes } from "../../facts/export-scope.ts";
import { HostIndex } from "../../facts/host-index.ts";
import { listed } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const conflictingMeshGatewayHosts: Analyzer = {
  name: "virtualservice.ConflictingMeshGatewayHostsAnalyzer",
  description: "Virtual services that claim the same host for the sidecars of the same namespace",
  inputs: [virtualService],
  analyze(context) {
    const claims = context.all(virtualService).flatMap((config) => claimsOf(config, context.domain));
    const rivals = Map.groupBy(conflictsAmong(claims), ({ own }) => own.config);
    for (const [config, conflicts] of rivals) {
      const hosts = new Set(conflicts.map(({ own }) => own.host));
      const objects = listed([config, ...conflicts.map(({ other }) => other.config)]);
      const about = { config, path: conflicts[0]?.own.path ?? "spec.hosts" };
      const host = [...hosts].toSorted(compareTexts).join(", ");
      context.report(messages.conflictingMeshGatewayHosts, about, { host, objects });
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

interface Conflict {
  readonly own: Claim;
  readonly other: Claim;
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

/**
 * Within a scope only equal hosts conflict: a wildcard gives way to what is more specific. What a namespace has for
 * itself gives way to nothing, so there it is enough that a host of everybody's fits.
 */
function conflictsAmong(claims: readonly Claim[]): readonly Conflict[] {
  const scoped = claims.filter(({ scope }) => scope !== everywhere);
  const shared = new HostIndex<Claim>();
  for (const claim of claims) if (claim.scope === everywhere) shared.add(claim.host, claim);
  const equal = [...Map.groupBy(claims, ({ scope, host }) => JSON.stringify([scope, host])).values()].flatMap((same) =>
    same.length < 2 ? [] : same.flatMap((own) => same.map((other) => ({ own, other }))),
  );
  const fitting = scoped.flatMap((own) =>
    Array.from(shared.overlapping(own.host)).flatMap((other) => [
      { own, other },
      { own: other, other: own },
    ]),
  );
  return [...equal, ...fitting].filter(({ own, other }) => own.config !== other.config);
}
