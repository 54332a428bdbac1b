import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { IntOrString } from "#gen/k8s/util/intstr/intstr_pb.js";
import type { Config, Labels } from "../../../../config/config.ts";
import { isIpAddress, isPortNumber } from "../../../../config/grammar/address.ts";
import {
  type EndpointHealth,
  exportedTo,
  type MeshEndpoint,
  type MeshPort,
  type MeshService,
  meshServiceConfig,
  type ServiceAccess,
} from "../../../../config/mesh/mesh-service.ts";
import { sortedKeys } from "../../../../lib/sorted-keys.ts";
import type { EndpointSet, ListedEndpoint } from "./endpoint-sets.ts";
import { portProtocol } from "./port-protocol.ts";

const trafficDistributionAnnotation = "networking.istio.io/traffic-distribution";
const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"];

/** A Kubernetes service with its endpoints from all objects, in the order of these objects. */
export function meshServiceOf(
  config: Config<ServiceSpec>,
  sets: readonly EndpointSet[] | undefined,
  domain: string,
): Config<MeshService> {
  const { spec, namespace, annotations } = config;
  const around = { ...config, labels: sorted(config.labels), annotations: sorted(annotations) };
  return meshServiceConfig(around, {
    hostname: `${config.name}.${namespace === "" ? "default" : namespace}.svc.${domain}`,
    access: accessOf(spec),
    ports: portsOf(spec),
    externalAddresses: [...new Set([...spec.externalIPs, spec.loadBalancerIP].filter(isIpAddress))],
    exportTo: exportedTo(annotations),
    selector: sorted(spec.selector),
    nodeLocal: spec.internalTrafficPolicy === "Local",
    trafficDistribution: spec.trafficDistribution || (annotations[trafficDistributionAnnotation] ?? ""),
    publishNotReadyAddresses: spec.publishNotReadyAddresses,
    endpoints: sets === undefined ? undefined : endpointsOf(sets, config),
  });
}

function accessOf({ type, externalName, clusterIP, clusterIPs }: ServiceSpec): ServiceAccess {
  if (type === "ExternalName" && externalName !== "") return { type: "alias", externalName };
  if (clusterIP === "None") return { type: "headless" };
  const addresses = clusterIPs.length > 1 || clusterIP === "" ? clusterIPs : [clusterIP];
  return { type: "virtual", addresses: [...new Set(addresses.filter(isIpAddress))] };
}

/** Kubernetes forbids duplicate numbers per protocol and duplicate names. Files may contain both. */
function portsOf({ ports }: ServiceSpec): readonly MeshPort[] {
  const valid = ports.filter(({ port }) => isPortNumber(port)).map(portOf);
  return [...new Map(valid.toReversed().map((port) => [port.name, port])).values()].toReversed();
}

function portOf(port: ServicePort): MeshPort {
  return {
    name: port.name === "" ? nameOf(port) : port.name,
    number: port.port,
    protocol: portProtocol(port),
    targetPort: targetPortOf(port.targetPort) || port.port,
    nodePort: port.nodePort,
  };
}

/** A single port may have no name, but endpoints and clusters refer to ports by name. */
function nameOf({ protocol, port }: ServicePort): string {
  return `${protocol === "" ? "tcp" : protocol.toLowerCase()}-${port}`;
}

function targetPortOf(target: IntOrString | undefined): number | string {
  return target === undefined ? 0 : target.strVal || target.intVal;
}

/** An endpoint that moves between slices is in both for a while, and may be ready in only one of them. */
function endpointsOf(sets: readonly EndpointSet[], service: Config<ServiceSpec>): readonly MeshEndpoint[] {
  const found = new Map<string, MeshEndpoint>();
  for (const listed of sets.flatMap(({ endpoints }) => endpoints)) {
    const endpoint = endpointOf(listed, service);
    const key = `${endpoint.address} ${JSON.stringify(endpoint.ports)}`;
    const known = found.get(key);
    if (known === undefined || (known.health !== "healthy" && endpoint.health === "healthy")) found.set(key, endpoint);
  }
  return [...found.values()];
}

function endpointOf({ conditions, ports, ...listed }: ListedEndpoint, service: Config<ServiceSpec>): MeshEndpoint {
  const { labels } = listed;
  return {
    ...listed,
    ports: namedPorts(ports, service.spec),
    labels: sorted(labels),
    health: healthOf(conditions, service.labels),
  };
}

function namedPorts(ports: Readonly<Record<string, number>>, { ports: declared }: ServiceSpec) {
  const { "": unnamed, ...named } = ports;
  const port = declared.find(({ name }) => name === "");
  return unnamed === undefined || port === undefined ? ports : { [nameOf(port)]: unnamed, ...named };
}

/** A terminating endpoint keeps serving only clients with session affinity. */
function healthOf({ ready, serving, terminating }: ListedEndpoint["conditions"], service: Labels): EndpointHealth {
  if (ready) return "healthy";
  if (!terminating) return "unhealthy";
  const keepsSessions = sessionLabels.some((label) => (service[label] ?? "") !== "");
  return serving && keepsSessions ? "draining" : "terminating";
}

/** Versions are hashes, so equal content must have equal spelling. */
function sorted(labels: Labels): Labels {
  return Object.fromEntries(sortedKeys(labels).map((name) => [name, labels[name] ?? ""]));
}
