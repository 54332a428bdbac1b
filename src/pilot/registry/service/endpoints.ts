import type { ServiceEntry, ServicePort } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { ServiceEntry_Resolution } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Tracked } from "../../../collection/collection.ts";
import type { Config, ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { networkLabel } from "../../../config/mesh/place-labels.ts";
import { type WorkloadHealth, workloadHealthAnnotation } from "../../../config/mesh/workload-health.ts";
import { selects } from "../../../config/selector.ts";
import { append } from "../../../lib/append.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { ownValue } from "../../../lib/own-value.ts";
import { type Endpoint, type ServiceEndpoints, tlsModeLabel } from "../../model/service/service.ts";
import { unixPath } from "../../model/service/unix-path.ts";
import { type NetworkRules, networkOf } from "../mesh/networks.ts";
import { clusterEndpointsOf } from "./cluster-endpoints.ts";
import type { Declaration } from "./service.ts";
import { racesAddresses } from "./service.ts";

type WorkloadConfig = Config<WorkloadEntry>;

/** What an endpoint is made of beside its port: an entry written inline, or one that stands for itself. */
interface Instance {
  readonly entry: WorkloadEntry;
  readonly workloadName: string;
  readonly namespace: string;
  readonly owner: ConfigId;
  /** What the agent beside it says, where there is one that says something. */
  readonly health?: WorkloadHealth;
}

/** The endpoint's cluster, and workloads indexed by {@link workloadKeys}. */
interface Surroundings {
  readonly clusterId: string;
  /** Undefined when the mesh has no networks. */
  readonly networkRules: NetworkRules | undefined;
  readonly workloadsByLabel: Tracked<readonly WorkloadConfig[]>;
}

/** The groups a workload is found by: one per label, so that a selector reads only what it may select. */
export function* workloadKeys(workload: WorkloadConfig): Generator<string> {
  yield workload.namespace;
  for (const [name, value] of Object.entries(workload.spec.labels)) yield labelKey(workload.namespace, name, value);
}

/** The endpoints of one host in one namespace: all declarations contribute, whichever of them defines the service. */
export function endpointsOf(
  service: { readonly hostname: string; readonly namespace: string },
  declarations: readonly Declaration[],
  surroundings: Surroundings,
): ServiceEndpoints {
  const endpoints: Endpoint[] = [];
  const owners = new Set<ConfigId>();
  for (const declaration of declarations) {
    if (declaration.registry === "Kubernetes") {
      owners.add(configId("Service", declaration.config.namespace, declaration.config.name));
      append(endpoints, clusterEndpointsOf(declaration.config, surroundings));
      continue;
    }
    const { config } = declaration;
    const found = instancesOf(config, service.hostname, surroundings.workloadsByLabel);
    const instances = hasOneEndpoint(config) ? found.slice(0, 1) : found;
    for (const instance of instances) {
      owners.add(instance.owner);
      for (const port of config.spec.ports) {
        const endpoint = endpointOf(instance, port, surroundings);
        // Istio expands an entry to a service per address, and so counts an endpoint once for each of them.
        for (let count = Math.max(1, config.spec.addresses.length); count > 0; count -= 1) endpoints.push(endpoint);
      }
    }
  }
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    endpoints: endpoints.toSorted(compareEndpoints),
    owners: [...owners].toSorted(compareTexts),
  };
}

function instancesOf(
  config: Config<ServiceEntry>,
  hostname: string,
  workloadsByLabel: Tracked<readonly WorkloadConfig[]>,
): readonly Instance[] {
  const { spec, namespace } = config;
  const owner = configId("ServiceEntry", namespace, config.name);
  if (spec.workloadSelector !== undefined) {
    return selectWorkloads(namespace, spec.workloadSelector.labels, workloadsByLabel).map((workload) => ({
      entry: workload.spec,
      workloadName: workload.name,
      namespace: workload.namespace,
      owner: configId("WorkloadEntry", workload.namespace, workload.name),
      ...(isIll(workload) && { health: "unhealthy" }),
    }));
  }
  const entries = spec.endpoints.length === 0 && resolvesByDns(spec) ? [hostAsEntry(hostname)] : spec.endpoints;
  return entries.map((entry) => ({ entry, workloadName: "", namespace: "", owner }));
}

function isIll({ annotations }: WorkloadConfig): boolean {
  const ill: WorkloadHealth = "unhealthy";
  return annotations[workloadHealthAnnotation] === ill;
}

function selectWorkloads(
  namespace: string,
  selector: Readonly<Record<string, string>>,
  workloadsByLabel: Tracked<readonly WorkloadConfig[]>,
): readonly WorkloadConfig[] {
  const [first] = Object.entries(selector);
  const key = first === undefined ? namespace : labelKey(namespace, first[0], first[1]);
  return (workloadsByLabel.get(key) ?? []).filter((workload) => selects(selector, workload.spec.labels));
}

function labelKey(namespace: string, name: string, value: string): string {
  return `${namespace}/${name}=${value}`;
}

/** Envoy accepts exactly one endpoint in a LOGICAL_DNS cluster. */
function hasOneEndpoint(config: Config<ServiceEntry>): boolean {
  return config.spec.resolution === ServiceEntry_Resolution.DNS_ROUND_ROBIN || racesAddresses(config);
}

function resolvesByDns({ resolution }: ServiceEntry): boolean {
  return resolution === ServiceEntry_Resolution.DNS || resolution === ServiceEntry_Resolution.DNS_ROUND_ROBIN;
}

/** A name that DNS resolves needs no endpoints: it is its own. */
function hostAsEntry(hostname: string): WorkloadEntry {
  return {
    $typeName: "istio.networking.v1alpha3.WorkloadEntry",
    address: hostname,
    ports: {},
    labels: {},
    network: "",
    locality: "",
    weight: 0,
    serviceAccount: "",
  };
}

function endpointOf(
  { entry, workloadName, namespace, health }: Instance,
  port: ServicePort,
  { clusterId, networkRules }: Surroundings,
): Endpoint {
  const network = entry.network || entry.labels[networkLabel];
  return {
    address: entry.address,
    port: endpointPort(entry, port),
    servicePortName: port.name,
    labels: entry.labels,
    locality: entry.locality,
    network: network ?? networkOf(entry.address, clusterId, networkRules),
    weight: entry.weight,
    serviceAccount: entry.serviceAccount,
    tlsMode: tlsModeOf(entry),
    workloadName,
    namespace,
    clusterId,
    node: "",
    ...(health && { health }),
  };
}

function endpointPort(entry: WorkloadEntry, port: ServicePort): number {
  if (unixPath(entry.address) !== undefined) return 0;
  return ownValue(entry.ports, port.name) ?? (port.targetPort === 0 ? port.number : port.targetPort);
}

/** The label decides; without it, a workload that has an identity is taken to speak mutual TLS. */
function tlsModeOf({ labels, serviceAccount }: WorkloadEntry): Endpoint["tlsMode"] {
  const said = labels[tlsModeLabel];
  if (said !== undefined) return said === "istio" ? "istio" : "disabled";
  return serviceAccount === "" ? "disabled" : "istio";
}

function compareEndpoints(a: Endpoint, b: Endpoint): number {
  return compareTexts(a.address, b.address) || a.port - b.port || compareTexts(a.servicePortName, b.servicePortName);
}
