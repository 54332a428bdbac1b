import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Config, ConfigId } from "../../../config/config.ts";
import { isIpAddress } from "../../../config/grammar/address.ts";
import type { MeshEndpoint, MeshLocality, MeshPort, MeshService } from "../../../config/mesh/mesh-service.ts";
import { ownValue } from "../../../lib/own-value.ts";
import { type Endpoint, tlsModeLabel } from "../../model/service/service.ts";
import { networkOf } from "../mesh/networks.ts";
import { type RegistryNetwork, selectWorkloads, type Workloads, endpointOf as workloadEndpoint } from "./workloads.ts";

/** The endpoints of a cluster's service: one for each address and port, in any state. */
export function clusterEndpointsOf({ spec }: Config<MeshService>, registry: RegistryNetwork): readonly Endpoint[] {
  return (spec.endpoints ?? []).flatMap((endpoint) =>
    Object.entries(endpoint.ports).map(([name, port]) => endpointOf(endpoint, name, port, registry)),
  );
}

/** An endpoint that a selector found, and its source object. */
interface SelectedEndpoint {
  readonly endpoint: Endpoint;
  readonly owner: ConfigId;
}

/**
 * The WorkloadEntries of its namespace that a cluster's service selects by labels, beside its pods. They only count
 * where clients receive endpoints: not for an ExternalName, and not where callers choose addresses themselves.
 */
export function selectedEndpointsOf(
  { spec, namespace }: Config<MeshService>,
  context: RegistryNetwork & Workloads,
): readonly SelectedEndpoint[] {
  if (spec.access.type !== "virtual" || Object.keys(spec.selector).length === 0) return [];
  const selected = selectWorkloads(namespace, spec.selector, context);
  return selected.flatMap((instance) => {
    const { entry, owner } = instance;
    // Kubernetes supports only IP addresses. An entry without an address is behind a gateway.
    if (entry.address !== "" && !isIpAddress(entry.address)) return [];
    return spec.ports.flatMap((declared) => {
      const port = targetPortOf(entry, declared);
      if (port === undefined) return [];
      return [{ endpoint: workloadEndpoint(instance, { name: declared.name, port }, context), owner }];
    });
  });
}

/**
 * By the name of the target port if it has one, else by the name of the service port. Undefined when the entry does not
 * have the port.
 */
function targetPortOf({ ports }: WorkloadEntry, { name, number, targetPort }: MeshPort): number | undefined {
  if (typeof targetPort === "string") return ownValue(ports, targetPort);
  return ownValue(ports, name) ?? (targetPort === 0 ? number : targetPort);
}

function endpointOf(
  listed: MeshEndpoint,
  servicePortName: string,
  port: number,
  { clusterId, networkRules }: RegistryNetwork,
): Endpoint {
  const { address, labels, weight, workloadName, namespace, node, health } = listed;
  return {
    address,
    port,
    servicePortName,
    labels,
    locality: localityOf(listed.locality),
    network: listed.network || networkOf(address, clusterId, networkRules),
    weight,
    serviceAccount: listed.serviceAccount ?? "",
    // Sidecar injection labels the pod. A service account proves nothing: every pod of a cluster has one.
    tlsMode: labels[tlsModeLabel] === "istio" ? "istio" : "disabled",
    workloadName,
    namespace,
    clusterId,
    node,
    ...podNameOf(listed),
    health,
  };
}

function podNameOf({ hostname, subdomain }: MeshEndpoint): Pick<Endpoint, "podName"> {
  return hostname === "" || subdomain === "" ? {} : { podName: `${hostname}.${subdomain}` };
}

function localityOf({ region, zone, subzone }: MeshLocality): string {
  return `${region}/${zone}/${subzone}`.replace(/\/+$/u, "");
}
