import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  type ServicePort,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { type Config, configId } from "../../../config/config.ts";
import type { MeshService } from "../../../config/mesh/mesh-service.ts";
import { deepEqual } from "../../../lib/equal.ts";
import { compareAge } from "../../model/compare-age.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Alias, Port, Resolution, Service } from "../../model/service/service.ts";
import { clusterServiceOf, trafficDistributionOf } from "./cluster-service.ts";
import { parseProtocol } from "./protocol.ts";

/** The declaration of a service: a ServiceEntry, or a service of a cluster. */
export type Declaration =
  | { readonly registry: "External"; readonly config: Config<ServiceEntry> }
  | { readonly registry: "Kubernetes"; readonly config: Config<MeshService> };

/** The hosts of a declaration. An alias has no listeners, clusters or endpoints of its own. */
export function hostsOf(declaration: Declaration): readonly string[] {
  if (declaration.registry === "External") return declaration.config.spec.hosts;
  const { hostname, access } = declaration.config.spec;
  return access.type === "alias" ? [] : [hostname];
}

const resolutions: Readonly<Record<ServiceEntry_Resolution, Resolution>> = {
  [ServiceEntry_Resolution.NONE]: "passthrough",
  [ServiceEntry_Resolution.STATIC]: "static",
  [ServiceEntry_Resolution.DNS]: "dns",
  [ServiceEntry_Resolution.DNS_ROUND_ROBIN]: "dns-round-robin",
  [ServiceEntry_Resolution.DYNAMIC_DNS]: "dynamic-dns",
};

const trafficDistributionAnnotation = "networking.istio.io/traffic-distribution";
const connectStrategyAnnotation = "istio.io/connect-strategy";

/** Kubernetes before External, so that no entry takes over the hostname of a cluster's service; then the oldest. */
function sortDeclarations(declarations: readonly Declaration[]): readonly Declaration[] {
  return declarations.toSorted(
    (a, b) =>
      Number(b.registry === "Kubernetes") - Number(a.registry === "Kubernetes") || compareAge(a.config, b.config),
  );
}

/**
 * Merges all declarations of one host in one namespace. The first decides. Others add ports, addresses and SANs if they
 * describe the same kind of service, else they are ignored. Returns one element, or none.
 */
export function serviceOf(
  hostname: string,
  declarations: readonly Declaration[],
  mesh: MeshSettings,
  aliases: readonly Alias[],
): readonly Service[] {
  const [declared, ...others] = sortDeclarations(declarations).map((one) => declaredService(hostname, one, mesh));
  if (declared === undefined) return [];
  const first = { ...declared, aliases };
  const alike = others.filter(
    (other) =>
      other.registry === first.registry &&
      other.resolution === first.resolution &&
      deepEqual(other.labels, first.labels) &&
      deepEqual(other.exportTo, first.exportTo),
  );
  if (alike.length === 0) return [first];
  const ports = new Map<number, Port>();
  for (const port of [first, ...alike].flatMap((service) => service.ports)) {
    if (!ports.has(port.number)) ports.set(port.number, port);
  }
  const addresses = new Set([first, ...alike].flatMap((service) => service.addresses));
  const names = new Set([first, ...alike].flatMap((service) => service.subjectAltNames));
  return [{ ...first, ports: [...ports.values()], addresses: [...addresses], subjectAltNames: [...names] }];
}

function declaredService(hostname: string, declaration: Declaration, mesh: MeshSettings): Service {
  if (declaration.registry === "Kubernetes") return clusterServiceOf(declaration.config, mesh);
  const { config } = declaration;
  const { spec } = config;
  return {
    hostname,
    namespace: config.namespace,
    registry: declaration.registry,
    ports: spec.ports.map(portOf),
    addresses: spec.addresses.map(withoutFullMask),
    resolution: resolutions[spec.resolution],
    meshExternal: spec.location === ServiceEntry_Location.MESH_EXTERNAL,
    subjectAltNames: spec.subjectAltNames,
    racesAddresses: racesAddresses(config),
    aliases: [],
    trafficDistribution: trafficDistributionOf(config.annotations[trafficDistributionAnnotation]),
    nodeLocal: false,
    exportTo: spec.exportTo.length > 0 ? spec.exportTo : mesh.defaultServiceExportTo,
    labels: config.labels,
    createdAt: config.createdAt,
    owner: configId("ServiceEntry", config.namespace, config.name),
  };
}

/** Only hostnames have several addresses to try. */
export function racesAddresses({ spec, annotations }: Config<ServiceEntry>): boolean {
  const races = annotations[connectStrategyAnnotation] === "RACE_FIRST_TCP_CONNECT";
  return races && spec.resolution === ServiceEntry_Resolution.DNS;
}

function portOf({ number, name, protocol, targetPort }: ServicePort): Port {
  return { number, name, protocol: parseProtocol(protocol), targetPort: targetPort === 0 ? number : targetPort };
}

function withoutFullMask(address: string): string {
  return address.endsWith("/32") ? address.slice(0, -"/32".length) : address;
}
