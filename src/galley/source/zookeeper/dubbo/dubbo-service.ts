import type { Issue } from "../../../../config/issue.ts";
import { isKnownProtocol } from "../../../../config/rules/port.ts";
import { smallest } from "../../../../lib/extremes.ts";
import type { RegistryInstance, RegistryPort, RegistryService } from "../../registry/registry-service.ts";
import { badNode, objectNameOf, type ServiceSettings } from "../layout.ts";
import { aerakiInstance, chooseNamespace } from "./aeraki.ts";
import { withoutCommonMethods } from "./provider-labels.ts";
import type { Provider } from "./provider-url.ts";
import { dubboHostname, type Naming, type ServiceKey, serviceKeyText } from "./service-key.ts";

export interface DubboOptions extends ServiceSettings {
  readonly naming: Naming;
  /** The URL schemes of providers to read. */
  readonly schemes: readonly string[];
}

/** A provider with the name of its node. */
export interface NamedProvider extends Provider {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The providers of one service key. */
export interface ProviderGroup {
  readonly key: ServiceKey;
  readonly providers: readonly NamedProvider[];
  readonly reference: string;
}

/** The service of a group of providers. `issues` receives the excluded providers. */
export function dubboService(group: ProviderGroup, options: DubboOptions, issues: Issue[]): RegistryService {
  return options.naming === "dns" ? dnsService(group, options, issues) : keyService(group, options);
}

/** As slime does it: the service key is the hostname, and each provider port is a port of the service. */
function keyService({ key, providers, reference }: ProviderGroup, options: DubboOptions): RegistryService {
  const portOf = (number: number) => registryPort(number, options.protocol);
  return {
    ...identityOf(key, reference, options),
    name: objectNameOf(serviceKeyText(key)),
    namespace: options.namespace,
    ports: options.port === 0 ? [] : [portOf(options.port)],
    instancePorts: options.instancePort,
    instances: withoutCommonMethods(providers.map((provider) => instanceOf(provider, portOf(provider.port)))),
  };
}

/** As dubbo2istio does it: one port, whatever the ports of the providers, in a namespace that providers may choose. */
function dnsService(
  { key, providers, reference }: ProviderGroup,
  options: DubboOptions,
  issues: Issue[],
): RegistryService {
  const { namespace, strangers } = chooseNamespace(providers, options.namespace);
  const own = providers.filter((provider) => !strangers.has(provider));
  for (const { node } of strangers) {
    issues.push(
      badNode(
        `${reference}/providers/${node}`,
        `is for another namespace than ${namespace}, the namespace of its service`,
      ),
    );
  }
  const instances = own.map((provider) =>
    aerakiInstance(instanceOf(provider, dnsPort(provider.port)), provider.parameters),
  );
  const number = options.port || smallest(own.map(({ port }) => port));
  const selector = own.map(({ parameters }) => parameters.get("aeraki_meta_workload_selector")).find(Boolean);
  const identity = identityOf(key, reference, options);
  return {
    ...identity,
    name: objectNameOf(`aeraki-${identity.hostname.replaceAll(".", "-")}`),
    namespace,
    annotations: { interface: key.interfaceName, ...(selector === undefined ? {} : { workloadSelector: selector }) },
    ports: [dnsPort(number)],
    instancePorts: false,
    instances: withoutCommonMethods(instances),
  };
}

function dnsPort(number: number): RegistryPort {
  return { number, protocol: "TCP", name: "tcp-metaprotocol-dubbo" };
}

function identityOf(key: ServiceKey, reference: string, { naming, hostSuffix }: DubboOptions) {
  const labels = { path: key.interfaceName, registry: "zookeeper" };
  return { hostname: `${dubboHostname(key, naming)}${hostSuffix}`, reference, labels };
}

function instanceOf({ node, address, labels }: NamedProvider, port: RegistryPort): RegistryInstance {
  return { id: node, address, ports: [port], labels };
}

/** Istio does not know Dubbo's protocols. Proxies treat them as TCP, and only the port name has the protocol. */
function registryPort(number: number, protocol: string): RegistryPort {
  const name = `${protocol.toLowerCase()}-${number}`;
  return { number, protocol: isKnownProtocol(protocol) ? protocol : "TCP", name };
}
