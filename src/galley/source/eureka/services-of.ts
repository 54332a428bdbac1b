import { isKnownProtocol } from "../../../config/rules/port.ts";
import type { RegistryInstance, RegistryPort, RegistryService } from "../registry/registry-service.ts";
import type { EurekaInstance } from "./eureka-instance.ts";

/** How applications are named in the mesh. */
export interface EurekaNaming {
  /** The grouping of instances into services: by application, or by the `hostName` of the instances. */
  readonly groupBy: "app" | "hostname";
  /** The namespace if the metadata `k8sNs` is unset. */
  readonly namespace: string;
  /** Whether hostnames end in the namespace. If not, all objects are in the configured namespace. */
  readonly namespaceHost: boolean;
  /** Whether hostnames continue with `svc` and the cluster domain after the namespace. */
  readonly domainSuffix: boolean;
  readonly domain: string;
  /** A suffix of every application's name. */
  readonly appSuffix: string;
  /** Whether the metadata `projectCode` splits an application. */
  readonly projectCode: boolean;
  /** Distinguishes several registries, in object names and as an endpoint label. */
  readonly registryId: string;
}

export interface EurekaServiceSettings extends EurekaNaming {
  /** The protocol of ports without the metadata `istio.protocol`. */
  readonly protocol: string;
  /** A port that every service has; 0 for none. */
  readonly port: number;
  /** Whether services also have the ports of their instances. */
  readonly instancePort: boolean;
}

export const defaultServiceSettings: EurekaServiceSettings = {
  groupBy: "app",
  namespace: "eureka",
  namespaceHost: true,
  domainSuffix: true,
  domain: "cluster.local",
  appSuffix: "",
  projectCode: false,
  registryId: "",
  protocol: "HTTP",
  port: 80,
  instancePort: true,
};

const protocolKey = "istio.protocol";

/** The services of one application. A service without in-service instances stays, with no endpoints. */
export function servicesOf(
  instances: Iterable<EurekaInstance>,
  settings: EurekaServiceSettings,
): readonly RegistryService[] {
  const groups = Map.groupBy(instances, (instance) => JSON.stringify(nameOf(instance, settings)));
  const { port: number, protocol, instancePort } = settings;
  return Array.from(groups.values()).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      ...nameOf(first, settings),
      reference: `application ${first.app}`,
      labels: { registry: "eureka", app: first.app.toLowerCase() },
      ports: number === 0 ? [] : [{ number, protocol }],
      instancePorts: instancePort,
      instances: group.filter(({ inService }) => inService).map((instance) => instanceOf(instance, settings)),
    };
  });
}

function nameOf({ app, hostname, metadata }: EurekaInstance, naming: EurekaNaming) {
  const { groupBy, namespaceHost, domainSuffix, domain, registryId } = naming;
  const project = naming.projectCode ? (metadata["projectCode"] ?? "") : "";
  const base = dnsName(groupBy === "app" ? `${app}${naming.appSuffix}${project && `-${project}`}` : hostname);
  const name = registryId === "" ? base : `${base}-${dnsName(registryId)}`;
  if (groupBy === "hostname" || !namespaceHost) return { name, namespace: naming.namespace, hostname: base };
  const namespace = metadata["k8sNs"] || naming.namespace;
  return { name, namespace, hostname: `${base}.${namespace}${domainSuffix ? `.svc.${domain}` : ""}` };
}

function dnsName(text: string): string {
  return text.toLowerCase().replaceAll("_", "-");
}

function instanceOf(instance: EurekaInstance, settings: EurekaServiceSettings): RegistryInstance {
  const { id, address, metadata } = instance;
  const { [protocolKey]: _protocol, ...labels } = metadata;
  const { registryId } = settings;
  return {
    id,
    address,
    ports: portsOf(instance, settings),
    labels: registryId === "" ? labels : { ...labels, "registry-id": registryId },
  };
}

/** The enabled ports, the plain one first. If none is enabled, the plain port, because there is no other. */
function portsOf(
  { port, securePort, metadata }: EurekaInstance,
  settings: EurekaServiceSettings,
): readonly RegistryPort[] {
  const said = metadata[protocolKey]?.toUpperCase() ?? settings.protocol;
  const protocol = isKnownProtocol(said) ? said : "TCP";
  const plain = port === undefined ? [] : [{ number: port.number, protocol, enabled: port.enabled }];
  const secure = securePort === undefined ? [] : [{ ...securePort, protocol: "HTTPS" }];
  const enabled = [...plain, ...secure].filter((one) => one.enabled);
  return (enabled.length === 0 ? plain : enabled).map((one) => ({ number: one.number, protocol: one.protocol }));
}
