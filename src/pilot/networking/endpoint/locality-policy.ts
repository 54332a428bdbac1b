import { comparedLabels, preferredLabels } from "../../model/location/demand.ts";
import { unknownLocality } from "../../model/location/locality.ts";
import type { ProxyLocation } from "../../model/location/proxy-location.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Service } from "../../model/service/service.ts";
import type { LocalityPolicy, PortPolicy } from "../../model/traffic/destination-rule.ts";

/** The merged locality setting of a cluster: from rule, service and mesh. */
export interface LocalitySetting {
  readonly policy: LocalityPolicy;
  /**
   * Uses distant endpoints when near ones are unhealthy. This needs outlier detection, which finds unhealthy endpoints.
   */
  readonly failsOver: boolean;
}

/** The setting of the rule, else of the service, else of the mesh. */
export function localitySettingOf(
  { loadBalancer, outlierDetection }: Pick<PortPolicy, "loadBalancer" | "outlierDetection">,
  { trafficDistribution }: Pick<Service, "trafficDistribution">,
  mesh: MeshSettings,
): LocalitySetting {
  const failsOver = outlierDetection !== undefined;
  if (loadBalancer?.localities !== undefined) return { policy: loadBalancer.localities, failsOver };
  if (trafficDistribution === "any") return { policy: mesh.localities, failsOver };
  const failoverPriority = preferredLabels[trafficDistribution];
  // Kubernetes itself reports unhealthy endpoints.
  return { policy: { type: "locality", distribute: [], failover: [], failoverPriority }, failsOver: true };
}

/** The cluster's locality weighting; undefined for load balancing without localities. */
export function localityConfigOf({ policy, failsOver }: LocalitySetting) {
  if (policy.type === "zone-aware") {
    const minClusterSize = policy.minClusterSize === undefined ? undefined : BigInt(policy.minClusterSize);
    const routingEnabled = policy.enabled ? undefined : { value: 0 };
    return { case: "zoneAwareLbConfig", value: { minClusterSize, routingEnabled } } as const;
  }
  return policy.type === "locality" && weightsLocalities(policy, failsOver)
    ? ({ case: "localityWeightedLbConfig", value: {} } as const)
    : undefined;
}

function weightsLocalities(
  { distribute, failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "locality" }>,
  failsOver: boolean,
): boolean {
  return distribute.length > 0 || (failsOver && failover.length + failoverPriority.length > 0);
}

/** A location without the facts that do not matter to the endpoints of a cluster. */
export function relevantLocation(
  { locality, labels, node, network, families, clusterId, networkView }: ProxyLocation,
  { policy, failsOver }: LocalitySetting,
  { nodeLocal, clusterLocal }: { readonly nodeLocal: boolean; readonly clusterLocal: boolean },
): ProxyLocation {
  const compared = failsOver || policy.type === "zone-aware" ? comparedLabels(policy) : [];
  return {
    locality: needsLocality(policy, failsOver) ? locality : unknownLocality,
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => compared.includes(name))),
    selected: {},
    node: nodeLocal ? node : "",
    network,
    families,
    clusterId: clusterLocal ? clusterId : "",
    networkView,
  };
}

function needsLocality(policy: LocalityPolicy, failsOver: boolean): boolean {
  if (policy.type === "off") return false;
  if (policy.type === "zone-aware") return policy.enabled;
  if (policy.distribute.length > 0) return true;
  return failsOver && (policy.failoverPriority.length === 0 || policy.failover.length > 0);
}
