import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Config } from "../../../config.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { everywhere, exportScopes } from "../../facts/export-scope.ts";
import { listedGroups, listedTexts } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const conflictingProtocol: Analyzer = {
  name: "serviceentry.ConflictingServiceEntryProtocolAnalyzer",
  description: "Service entries that disagree about the protocol of one port of one host",
  inputs: [serviceEntry],
  analyze(context) {
    const claims = context.all(serviceEntry).flatMap(claimsOf);
    const reported = new Set<Config>();
    for (const rivals of Map.groupBy(claims, ({ host, port }) => `${host}:${port}`).values()) {
      const othersOf = othersAmong(rivals);
      for (const own of rivals) {
        if (reported.has(own.config)) continue;
        const others = othersOf(own);
        if (others.length === 0) continue;
        reported.add(own.config);
        const protocols = new Set([own.protocol, ...others.map(({ protocol }) => protocol)]);
        context.report(messages.conflictingServiceEntryProtocol, own, {
          protocols: listedTexts([...protocols].toSorted(compareTexts)),
          host: own.host,
          port: own.port,
          objects: listedGroups([[own.config], ...others.map(({ configs }) => configs)]),
        });
      }
    }
  },
};

/** The entries with the same protocol for a port and the same namespaces. */
interface Opinion {
  readonly protocol: string;
  readonly configs: Config[];
}

/** About ten protocols exist. If there are more, with unknown names, not all are compared. */
const maxOpinions = 20;

/** For claims to one port of one host: finds entries with another protocol that share a namespace with this one. */
function othersAmong(claims: readonly Claim[]): (own: Claim) => readonly Opinion[] {
  const byScope = new Map<string, Map<string, Opinion>>();
  for (const { config, scopes, protocol } of claims) {
    for (const scope of [allScopes, ...scopes]) {
      const inScope = byScope.get(scope) ?? new Map<string, Opinion>();
      const opinion = inScope.get(protocol) ?? { protocol, configs: [] };
      if (opinion.configs.at(-1) !== config) opinion.configs.push(config);
      byScope.set(scope, inScope.set(protocol, opinion));
    }
  }
  return ({ scopes, protocol }) => {
    const seen = scopes.includes(everywhere) ? [allScopes] : [everywhere, ...scopes];
    const opinions = seen.flatMap((scope) => [...(byScope.get(scope)?.values().take(maxOpinions) ?? [])]);
    return opinions.filter((each) => each.protocol !== protocol);
  };
}

/** The scope of all namespaces together. No namespace has this name. */
const allScopes = "";

interface Claim {
  readonly config: Config<ServiceEntry>;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
}

function claimsOf(config: Config<ServiceEntry>): readonly Claim[] {
  const { hosts, ports, exportTo } = config.spec;
  const scopes = exportScopes(exportTo, config.namespace);
  return ports.flatMap(({ number, protocol }, index) =>
    hosts.map((host) => {
      const path = `spec.ports[${index}].protocol`;
      return { config, path, scopes, host, port: number, protocol: protocol.toUpperCase() };
    }),
  );
}
