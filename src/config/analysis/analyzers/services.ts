import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import type { Config } from "../../config.ts";
import { service } from "../../kinds/kubernetes.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { isKnownProtocol } from "../../rules/port.ts";
import type { Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { everywhere, exportScopes } from "../facts/export-scope.ts";
import { listedGroups, listedTexts } from "../facts/listed-names.ts";
import { isControlPlane, isSystemNamespace } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const portNameAnalyzer: Analyzer = {
  name: "service.PortNameAnalyzer",
  description: "Ports of services that do not declare their protocol",
  inputs: [service],
  analyze(context) {
    for (const config of context.all(service)) {
      if (isSystemNamespace(config.namespace) || isControlPlane(config)) continue;
      const isExternal = config.spec.type === "ExternalName";
      for (const [index, port] of config.spec.ports.entries()) {
        const about = { config, path: `spec.ports[${index}]` };
        const says = saysProtocol(port);
        if (isExternal && (!says || port.name.toLowerCase() === "tcp")) {
          context.report(messages.externalNamePort, about, { port: port.port });
        } else if (!says) {
          context.report(messages.portNameConvention, about, { port: port.port, name: port.name || "without a name" });
        }
      }
    }
  },
};

/** Ports of server-first protocols, where protocol sniffing would hang. Istio treats them as TCP. */
const serverFirstPorts = new Set([25, 53, 3306, 27017]);

function saysProtocol({ name, protocol, appProtocol, port }: ServicePort): boolean {
  if (protocol === "UDP" || protocol === "SCTP") return true;
  if (appProtocol !== "") return appProtocol.startsWith("kubernetes.io/") || isKnownProtocol(appProtocol);
  const said = name.toLowerCase().startsWith("grpc-web") ? "grpc-web" : (name.split("-")[0] ?? "");
  return isKnownProtocol(said) || serverFirstPorts.has(port);
}

export const conflictingProtocolAnalyzer: Analyzer = {
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

export const protocolAddressesAnalyzer: Analyzer = {
  name: "serviceentry.ProtocolAddressesAnalyzer",
  description: "Service entries with TCP ports that would match all connections",
  inputs: [serviceEntry, meshConfig],
  analyze(context) {
    if (allocatesAddresses(currentMeshConfig(context))) return;
    for (const config of context.all(serviceEntry)) {
      const { addresses, ports } = config.spec;
      if (addresses.length > 0 || hasAllocated(config.status)) continue;
      for (const [index, { protocol, number }] of ports.entries()) {
        if (protocol !== "" && protocol.toUpperCase() !== "TCP") continue;
        const about = { config, path: `spec.ports[${index}]` };
        context.report(messages.addressesRequired, about, { port: number });
      }
    }
  },
};

/** With DNS capture, proxies allocate an address for each entry. */
function allocatesAddresses({ defaultConfig }: MeshConfig): boolean {
  const metadata = defaultConfig?.proxyMetadata ?? {};
  const allocates = ["ISTIO_META_DNS_AUTO_ALLOCATE", "PILOT_ENABLE_IP_AUTOALLOCATE"];
  return metadata["ISTIO_META_DNS_CAPTURE"] === "true" && allocates.some((name) => metadata[name] === "true");
}

/** The controller of the cluster may have allocated addresses and written them to the status. */
function hasAllocated(status: unknown): boolean {
  if (!isMapping(status)) return false;
  const { addresses } = status;
  return Array.isArray(addresses) && addresses.length > 0;
}
