import type { MeshSettings } from "../../model/mesh-settings.ts";
import { comparedLabels, preferredLabels } from "../../model/place/demand.ts";
import type { Standpoint } from "../../model/place/standpoint.ts";
import { nowhere } from "../../model/place/topology.ts";
import type { Service } from "../../model/service/service.ts";
import type { LocalityPolicy, PortPolicy } from "../../model/traffic/destination-rule.ts";

/** What nearness means for a cluster, all who have a say taken together. */
export interface Nearness {
  readonly policy: LocalityPolicy;
  /** What is further away is used when what is near is ill. Nobody finds out who is ill without outlier detection. */
  readonly failsOver: boolean;
}

/** The rule's word before the service's, and that before the mesh's. */
export function nearnessOf(
  { loadBalancer, outlierDetection }: Pick<PortPolicy, "loadBalancer" | "outlierDetection">,
  { trafficDistribution }: Pick<Service, "trafficDistribution">,
  mesh: MeshSettings,
): Nearness {
  const failsOver = outlierDetection !== undefined;
  if (loadBalancer?.localities !== undefined) return { policy: loadBalancer.localities, failsOver };
  if (trafficDistribution === "any") return { policy: mesh.localities, failsOver };
  const failoverPriority = preferredLabels[trafficDistribution];
  // Kubernetes itself says who is ill.
  return { policy: { type: "locality", distribute: [], failover: [], failoverPriority }, failsOver: true };
}

/** How a cluster is told to weigh localities; undefined leaves endpoints to be picked whatever their locality. */
export function localityConfigOf({ policy, failsOver }: Nearness) {
  if (policy.type === "zone-aware") {
    const minClusterSize = policy.minClusterSize === undefined ? undefined : BigInt(policy.minClusterSize);
    const routingEnabled = policy.enabled ? undefined : { value: 0 };
    return { case: "zoneAwareLbConfig", value: { minClusterSize, routingEnabled } } as const;
  }
  return policy.type === "locality" && weighs(policy, failsOver)
    ? ({ case: "localityWeightedLbConfig", value: {} } as const)
    : undefined;
}

function weighs(
  { distribute, failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "locality" }>,
  failsOver: boolean,
): boolean {
  return distribute.length > 0 || (failsOver && failover.length + failoverPriority.length > 0);
}

/** What of a standpoint the endpoints of a cluster depend on: whoever is alike in that shares them. */
export function standpointId(
  { locality, labels, node, network, families, networkView }: Standpoint,
  { policy, failsOver }: Nearness,
  { nodeLocal }: Pick<Service, "nodeLocal">,
): string {
  const { region, zone, subzone } = dependsOnPlace(policy, failsOver) ? locality : nowhere;
  const compared = failsOver || policy.type === "zone-aware" ? comparedLabels(policy) : [];
  const values = compared.map((name) => labels[name] ?? "");
  const parts = [region, zone, subzone, nodeLocal ? node : "", network, families, networkView.join(), ...values];
  return parts.join("|");
}

function dependsOnPlace(policy: LocalityPolicy, failsOver: boolean): boolean {
  if (policy.type === "off") return false;
  if (policy.type === "zone-aware") return policy.enabled;
  if (policy.distribute.length > 0) return true;
  return failsOver && (policy.failoverPriority.length === 0 || policy.failover.length > 0);
}
