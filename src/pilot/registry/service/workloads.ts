import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Tracked } from "../../../collection/collection.ts";
import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import { networkLabel } from "../../../config/mesh/topology-labels.ts";
import {
  healthChecksAnnotation,
  type WorkloadHealth,
  workloadHealthAnnotation,
} from "../../../config/mesh/workload-health.ts";
import { selects } from "../../../config/selector.ts";
import { type Endpoint, tlsModeLabel, unixPath } from "../../model/service/service.ts";
import { type NetworkRules, networkOf } from "../mesh/networks.ts";

export type WorkloadConfig = Config<WorkloadEntry>;

/** The source of an endpoint except its port: an inline entry, or a separate WorkloadEntry. */
export interface Instance {
  readonly entry: WorkloadEntry;
  readonly workloadName: string;
  readonly namespace: string;
  readonly owner: ConfigId;
  /** The health that the agent reports, if an agent reports any. */
  readonly health?: WorkloadHealth;
}

/** The registry of a service: its cluster and networks. */
export interface RegistryNetwork {
  readonly clusterId: string;
  /** Undefined when the mesh has no networks. */
  readonly networkRules: NetworkRules | undefined;
}

/** The workloads that a service can select. */
export interface Workloads {
  readonly workloadsByLabel: Tracked<readonly WorkloadConfig[]>;
  /** Whether the health that agents report counts. */
  readonly healthChecks: boolean;
}

/** The lookup groups of a workload: one per label, so that a selector reads only candidates. */
export function* workloadKeys(workload: WorkloadConfig): Generator<string> {
  yield workload.namespace;
  for (const [name, value] of Object.entries(workload.spec.labels)) yield labelKey(workload.namespace, name, value);
}

/** The workloads of a namespace that a selector selects. */
export function selectWorkloads(
  namespace: string,
  selector: Readonly<Record<string, string>>,
  { workloadsByLabel, healthChecks }: Workloads,
): readonly Instance[] {
  const [first] = Object.entries(selector);
  const key = first === undefined ? namespace : labelKey(namespace, first[0], first[1]);
  const selected = (workloadsByLabel.get(key) ?? []).filter((workload) => selects(selector, workload.spec.labels));
  return selected.map((workload) => ({
    entry: workload.spec,
    workloadName: workload.name,
    namespace: workload.namespace,
    owner: configId("WorkloadEntry", workload.namespace, workload.name),
    ...(healthChecks && isUnhealthy(workload) && { health: "unhealthy" }),
  }));
}

function isUnhealthy({ annotations }: WorkloadConfig): boolean {
  const unreported: WorkloadHealth = annotations[healthChecksAnnotation] === "true" ? "unhealthy" : "healthy";
  return (annotations[workloadHealthAnnotation] ?? unreported) === "unhealthy";
}

function labelKey(namespace: string, name: string, value: string): string {
  return `${namespace}/${name}=${value}`;
}

/** A workload as the endpoint of a service's port. */
export function endpointOf(
  { entry, workloadName, namespace, health }: Instance,
  { name, port }: { readonly name: string; readonly port: number },
  { clusterId, networkRules }: RegistryNetwork,
): Endpoint {
  const network = entry.network || entry.labels[networkLabel];
  return {
    address: entry.address,
    port: unixPath(entry.address) === undefined ? port : 0,
    servicePortName: name,
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

/** The label decides. Without the label, a workload with a service account is assumed to support mTLS. */
function tlsModeOf({ labels, serviceAccount }: WorkloadEntry): Endpoint["tlsMode"] {
  const said = labels[tlsModeLabel];
  if (said !== undefined) return said === "istio" ? "istio" : "disabled";
  return serviceAccount === "" ? "disabled" : "istio";
}
