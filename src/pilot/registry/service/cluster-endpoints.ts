import type { Config } from "../../../config/config.ts";
import type { MeshEndpoint, MeshLocality, MeshService } from "../../../config/mesh/mesh-service.ts";
import { type Endpoint, tlsModeLabel } from "../../model/service/service.ts";
import { type NetworkRules, networkOf } from "../mesh/networks.ts";

/** Where the service is registered. */
interface Registry {
  readonly clusterId: string;
  readonly networkRules: NetworkRules | undefined;
}

/** The endpoints of a cluster's service: one for each address and port, whatever state it is in. */
export function clusterEndpointsOf({ spec }: Config<MeshService>, registry: Registry): readonly Endpoint[] {
  return (spec.endpoints ?? []).flatMap((endpoint) =>
    Object.entries(endpoint.ports).map(([name, port]) => endpointOf(endpoint, name, port, registry)),
  );
}

function endpointOf(
  listed: MeshEndpoint,
  servicePortName: string,
  port: number,
  { clusterId, networkRules }: Registry,
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
    // Whoever injects a sidecar labels the pod. Having an account says nothing: in a cluster everybody has one.
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
