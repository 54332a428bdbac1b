import { isKnownProtocol } from "../../../config/rules/port.ts";
import type { RegistryInstance, RegistryPort, RegistryService } from "../registry/registry-service.ts";
import type { EurekaInstance } from "./eureka-instance.ts";

/** How applications are called in the mesh. */
export interface EurekaNaming {
  /** What makes a service: the application, or what its instances say their `hostName` is. */
  readonly groupBy: "app" | "hostname";
  /** Where the metadata `k8sNs` name no other. */
  readonly namespace: string;
  /** Whether hostnames end in the namespace; where they do not, all objects are in the one that is set. */
  readonly namespaceHost: boolean;
  /** Whether `svc` and the cluster's domain follow the namespace. */
  readonly domainSuffix: boolean;
  readonly domain: string;
  /** Behind every application's name. */
  readonly appSuffix: string;
  /** Whether an application is split by the metadata `projectCode`. */
  readonly projectCode: boolean;
  /** Tells several registries apart: in names of objects, and as a label of endpoints. */
  readonly registryId: string;
}

export interface EurekaServiceSettings extends EurekaNaming {
  /** Of ports for which the metadata `istio.protocol` says nothing. */
  readonly protocol: string;
  /** A port that every service has; 0 for none. */
  readonly port: number;
  /** Whether services have the ports of their instances, too. */
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

/** The services of one application. Those of which no instance is in service have none: they are not gone. */
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

/** Those that are enabled, the plain one first; where none is, the plain one all the same: it is all there is. */
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
