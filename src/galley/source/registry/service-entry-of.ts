import { create } from "@bufbuild/protobuf";
import {
  ServiceEntry_Location as Location,
  ServiceEntry_Resolution as Resolution,
  type ServiceEntry,
  ServiceEntrySchema,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { type Config, configKey } from "../../../config/config.ts";
import { contentVersion } from "../../../config/content-version.ts";
import { errorUnless, type Finding, hasErrors } from "../../../config/finding.ts";
import { isIpAddress } from "../../../config/grammar/address.ts";
import { isNamespaceName, isObjectName } from "../../../config/grammar/names.ts";
import { type Issue, warningAbout } from "../../../config/issue.ts";
import { apiVersionOf } from "../../../config/kind.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { labelsFrom } from "./instance-labels.ts";
import { type InstanceSelector, selectsAll } from "./instance-selector.ts";
import { type RegistryEndpoint, registryEndpoints } from "./registry-endpoints.ts";
import { objectNamed, type RegistryPort, type RegistryService, registryPortName } from "./registry-service.ts";

export interface Conversion {
  /** Name of the source that has the service. */
  readonly source: string;
  readonly selector?: InstanceSelector;
}

export interface Converted {
  /** Absent if the entry would be invalid, or if the ports are unknown so far. */
  readonly config: Config<ServiceEntry> | undefined;
  /** The number of instances that are endpoints. */
  readonly endpoints: number;
  readonly issues: readonly Issue[];
}

/**
 * The ServiceEntry of a service. Equal content gives equal versions, in any order of the listing. Instances that cannot
 * be endpoints become issues, and the others are used.
 */
export function serviceEntryOf(service: RegistryService, { source, selector = selectsAll }: Conversion): Converted {
  const { endpoints, issues } = registryEndpoints(service, selector);
  const { ports, issues: portIssues } = portsOf(service, endpoints);
  if (ports.length === 0) return { config: undefined, endpoints: 0, issues };
  const entries = endpoints.map((endpoint) => workloadOf(endpoint, ports));
  const isStatic = endpoints.every(({ address }) => isIpAddress(address));
  const spec = create(ServiceEntrySchema, {
    hosts: [service.hostname],
    ports: ports.map((port) => ({ number: port.number, protocol: port.protocol, name: registryPortName(port) })),
    location: Location.MESH_INTERNAL,
    resolution: isStatic ? Resolution.STATIC : Resolution.DNS,
    endpoints: entries,
  });
  const config = configOf(service, spec, source);
  const findings = [...nameFindings(service), ...(serviceEntry.validate?.(config, undefined) ?? [])];
  const object = objectNamed(configKey(service));
  return {
    config: hasErrors(findings) ? undefined : config,
    endpoints: endpoints.length,
    issues: [...issues, ...portIssues, ...findings.map((finding) => ({ ...finding, object, place: undefined }))],
  };
}

/** The same service without endpoints. Its ports stay, so proxies see only an endpoint change. */
export function withoutEndpoints(config: Config<ServiceEntry>): Config<ServiceEntry> {
  if (config.spec.endpoints.length === 0) return config;
  // Without endpoints, DNS resolution would look up the hostname itself.
  const spec = { ...config.spec, endpoints: [], resolution: Resolution.STATIC };
  return { ...config, spec, version: contentVersion({ ...config, spec }, ServiceEntrySchema) };
}

function nameFindings({ name, namespace }: RegistryService): readonly Finding[] {
  return [
    ...errorUnless(isObjectName(name), "metadata.name", {
      code: "bad-name",
      message: `"${name}" cannot name an object`,
    }),
    ...errorUnless(isNamespaceName(namespace), "metadata.namespace", {
      code: "bad-namespace",
      message: `"${namespace}" cannot name a namespace`,
    }),
  ];
}

function configOf(service: RegistryService, spec: ServiceEntry, source: string): Config<ServiceEntry> {
  const { name, namespace, reference, annotations = {} } = service;
  const labels = labelsFrom(service.labels ?? {});
  const apiVersion = apiVersionOf(serviceEntry);
  const content = { kind: serviceEntry.kind, apiVersion, namespace, name, labels, annotations, createdAt: 0, spec };
  const version = contentVersion(content, ServiceEntrySchema);
  return { ...content, version, origin: { source, reference, locate: () => undefined } };
}

/** Ports by number. On a conflict, the service's own port wins over that of the first instance. */
function portsOf(service: RegistryService, endpoints: readonly RegistryEndpoint[]) {
  const { ports = [], instancePorts = true } = service;
  const all = [...ports, ...(instancePorts ? endpoints.flatMap((endpoint) => endpoint.ports) : [])];
  const byNumber = new Map<number, RegistryPort>();
  const disputed = new Set<number>();
  for (const port of all) {
    const first = byNumber.get(port.number);
    if (first === undefined) byNumber.set(port.number, port);
    else if (first.protocol !== port.protocol) disputed.add(port.number);
  }
  const issues = Array.from(disputed, (number) => {
    const message = `instances disagree about the protocol of port ${number}: ${byNumber.get(number)?.protocol} is used`;
    return warningAbout(objectNamed(configKey(service)), { code: "ambiguous-port", message });
  });
  return { ports: [...byNumber.values()].toSorted((a, b) => a.number - b.number), issues };
}

/** Requests for a port that the instance lacks go to its first port of the same protocol, else to its first port. */
function workloadOf(endpoint: RegistryEndpoint, ports: readonly RegistryPort[]): WorkloadEntry {
  const own = endpoint.ports;
  const targets = ports.map((port): [string, number] => {
    const target =
      own.find(({ number }) => number === port.number) ??
      own.find(({ protocol }) => protocol === port.protocol) ??
      own[0];
    return [registryPortName(port), target?.number ?? port.number];
  });
  const { address, labels, locality, serviceAccount } = endpoint;
  return {
    $typeName: "istio.networking.v1alpha3.WorkloadEntry",
    address,
    ports: Object.fromEntries(targets.toSorted(([a], [b]) => compareTexts(a, b))),
    labels,
    locality,
    serviceAccount,
    network: "",
    weight: 0,
  };
}
