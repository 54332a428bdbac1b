import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { ServiceEntry_Resolution } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Config, ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { append } from "../../../lib/append.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { ownValue } from "../../../lib/own-value.ts";
import type { Endpoint, ServiceEndpoints } from "../../model/service/service.ts";
import { clusterEndpointsOf, selectedEndpointsOf } from "./cluster-endpoints.ts";
import type { Declaration } from "./service.ts";
import { racesAddresses } from "./service.ts";
import { endpointOf, type Instance, type RegistryNetwork, selectWorkloads, type Workloads } from "./workloads.ts";

/** The endpoint's cluster, and workloads by their lookup groups. */
type Context = RegistryNetwork & Workloads;

/**
 * The endpoints of one host in one namespace. All declarations contribute, not only the one that defines the service.
 */
export function endpointsOf(
  service: { readonly hostname: string; readonly namespace: string },
  declarations: readonly Declaration[],
  context: Context,
): ServiceEndpoints {
  const endpoints: Endpoint[] = [];
  const owners = new Set<ConfigId>();
  for (const declaration of declarations) {
    if (declaration.registry === "Kubernetes") {
      owners.add(configId("Service", declaration.config.namespace, declaration.config.name));
      append(endpoints, clusterEndpointsOf(declaration.config, context));
      for (const { endpoint, owner } of selectedEndpointsOf(declaration.config, context)) {
        owners.add(owner);
        endpoints.push(endpoint);
      }
      continue;
    }
    const { config } = declaration;
    const found = instancesOf(config, service.hostname, context);
    const instances = hasOneEndpoint(config) ? found.slice(0, 1) : found;
    for (const instance of instances) {
      owners.add(instance.owner);
      for (const { name, number, targetPort } of config.spec.ports) {
        const port = ownValue(instance.entry.ports, name) ?? (targetPort === 0 ? number : targetPort);
        const endpoint = endpointOf(instance, { name, port }, context);
        // Istio expands an entry to one service per address, so an endpoint counts once for each address.
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

function instancesOf(config: Config<ServiceEntry>, hostname: string, workloads: Workloads): readonly Instance[] {
  const { spec, namespace } = config;
  if (spec.workloadSelector !== undefined) {
    return selectWorkloads(namespace, spec.workloadSelector.labels, workloads);
  }
  const owner = configId("ServiceEntry", namespace, config.name);
  const entries = spec.endpoints.length === 0 && resolvesByDns(spec) ? [hostAsEntry(hostname)] : spec.endpoints;
  return entries.map((entry) => ({ entry, workloadName: "", namespace: "", owner }));
}

/** Envoy accepts exactly one endpoint in a LOGICAL_DNS cluster. */
function hasOneEndpoint(config: Config<ServiceEntry>): boolean {
  return config.spec.resolution === ServiceEntry_Resolution.DNS_ROUND_ROBIN || racesAddresses(config);
}

function resolvesByDns({ resolution }: ServiceEntry): boolean {
  return resolution === ServiceEntry_Resolution.DNS || resolution === ServiceEntry_Resolution.DNS_ROUND_ROBIN;
}

/** A hostname that DNS resolves needs no endpoints: it is its own endpoint. */
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

function compareEndpoints(a: Endpoint, b: Endpoint): number {
  return compareTexts(a.address, b.address) || a.port - b.port || compareTexts(a.servicePortName, b.servicePortName);
}
