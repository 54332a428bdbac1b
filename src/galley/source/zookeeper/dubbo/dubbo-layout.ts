import type { Issue } from "../../../../config/issue.ts";
import { isKnownProtocol } from "../../../../config/rules/port.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { RegistryInstance, RegistryPort, RegistryService } from "../../registry/registry-service.ts";
import type { RegistryPart } from "../../registry/registry-state.ts";
import type { Layout, Members, Trail } from "../layout.ts";
import { badNode, objectNameOf } from "../node-names.ts";
import { aerakiInstance, aerakiParameters, namespaceOf } from "./aeraki.ts";
import { providerLabels, withoutCommonMethods } from "./provider-labels.ts";
import { type Provider, readProvider } from "./provider-url.ts";
import { hostnameOf, type Naming, type ServiceKey, serviceKeyText } from "./service-key.ts";

export interface DubboOptions {
  readonly naming: Naming;
  readonly namespace: string;
  readonly hostSuffix: string;
  /** What the ports speak, and the start of their names. */
  readonly protocol: string;
  /** A port that each service has; 0 for none. */
  readonly port: number;
  /** Whether the ports of the providers are ports of the service. */
  readonly instancePort: boolean;
  /** Parameters of providers that do not become labels. */
  readonly ignoredLabels: readonly string[];
  /** Of the providers that are read. */
  readonly schemes: readonly string[];
}

/** What lies beside the interfaces. */
const notInterfaces = new Set(["config", "metadata", "mapping"]);

/** Dubbo's registry by interfaces: `/dubbo/com.acme.Cart/providers/dubbo%3A%2F%2F10.0.0.7%3A20880…`. */
export function dubboLayout(options: DubboOptions): Layout {
  return {
    roleOf: ([name = "", provider]) =>
      provider !== undefined ? "member" : notInterfaces.has(name) ? "none" : "folder",
    listedAt: ([name]) => (name === undefined ? "" : `/${name}/providers`),
    isFolder: () => false,
    partOf: (trail, members, reference) => partOf({ trail, members, reference }, options),
  };
}

interface Listing {
  readonly trail: Trail;
  readonly members: Members;
  readonly reference: string;
}

interface NamedProvider extends Provider {
  readonly node: string;
}

function partOf({ trail: [name = ""], members, reference }: Listing, options: DubboOptions): RegistryPart {
  const schemes = new Set(options.schemes);
  const issues: Issue[] = [];
  const byKey = new Map<string, { readonly key: ServiceKey; readonly providers: NamedProvider[] }>();
  for (const node of [...members.keys()].toSorted(compareTexts)) {
    const reading = readProvider(node, schemes);
    if (reading.type === "malformed") issues.push(badNode(`${reference}/providers/${node}`, reading.problem));
    if (reading.type !== "provider") continue;
    const key = keyOf(name, reading.provider);
    const text = serviceKeyText(key);
    const group = byKey.get(text) ?? { key, providers: [] };
    byKey.set(text, group);
    group.providers.push({ ...reading.provider, node });
  }
  const services = Array.from(byKey.values(), ({ key, providers }) => {
    return options.naming === "dns"
      ? dnsService({ key, providers, reference, issues }, options)
      : keyService({ key, providers, reference }, options);
  });
  return { services, issues };
}

function keyOf(name: string, { parameters }: Provider): ServiceKey {
  const either = (key: string) => parameters.get(key) || parameters.get(`default.${key}`) || "";
  return { interfaceName: name, group: either("group"), version: either("version") };
}

interface Group {
  readonly key: ServiceKey;
  readonly providers: readonly NamedProvider[];
  readonly reference: string;
}

/** As slime does it: the service key is the hostname, and each port of a provider one of the service. */
function keyService({ key, providers, reference }: Group, options: DubboOptions): RegistryService {
  const portOf = (number: number) => registryPort(number, options.protocol);
  return {
    ...identityOf(key, reference, options),
    name: objectNameOf(serviceKeyText(key)),
    namespace: options.namespace,
    ports: options.port === 0 ? [] : [portOf(options.port)],
    instancePorts: options.instancePort,
    instances: withoutCommonMethods(providers.map((provider) => instanceOf(provider, portOf(provider.port), options))),
  };
}

/** As dubbo2istio does it: one port, whichever ports the providers have, and a namespace that they may name. */
function dnsService(
  { key, providers, reference, issues }: Group & { readonly issues: Issue[] },
  options: DubboOptions,
): RegistryService {
  const { namespace, strangers } = namespaceOf(providers, options.namespace);
  const own = providers.filter((provider) => !strangers.has(provider));
  for (const { node } of strangers) {
    issues.push(
      badNode(`${reference}/providers/${node}`, `is for another namespace than ${namespace}, where others are`),
    );
  }
  const ignored = { ...options, ignoredLabels: [...options.ignoredLabels, ...aerakiParameters] };
  const instances = own.map((provider) =>
    aerakiInstance(instanceOf(provider, dnsPort(provider.port), ignored), provider.parameters),
  );
  const number = options.port || Math.min(...own.map(({ port }) => port));
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
  return { hostname: `${hostnameOf(key, naming)}${hostSuffix}`, reference, labels };
}

function instanceOf(provider: NamedProvider, port: RegistryPort, { ignoredLabels }: DubboOptions): RegistryInstance {
  const labels = providerLabels(provider.parameters, new Set(ignoredLabels));
  return { id: provider.node, address: provider.address, ports: [port], labels };
}

/** Istio knows no protocol of Dubbo's: to proxies it is TCP, and only the port's name says more. */
function registryPort(number: number, protocol: string): RegistryPort {
  const name = `${protocol.toLowerCase()}-${number}`;
  return { number, protocol: isKnownProtocol(protocol) ? protocol : "TCP", name };
}
