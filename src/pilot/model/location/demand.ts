import { networkLabel, regionLabel, subzoneLabel, zoneLabel } from "../../../config/mesh/topology-labels.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import { builtInHost } from "../service/cluster-local.ts";
import { isResolvedByClient, type Service } from "../service/service.ts";
import type { DestinationRule, LocalityPolicy, PortPolicy } from "../traffic/destination-rule.ts";
import { nodeLabel } from "./locality.ts";

/** Facts about a client that a rule or a service needs to select and order endpoints. */
export interface Demand {
  /** Needs the locality of the client. */
  readonly locality: boolean;
  /** Names of client labels that are compared with endpoint labels. */
  readonly labels: readonly string[];
  /** Needs the node of the client. */
  readonly node: boolean;
  /** Needs the cluster of the client. */
  readonly cluster: boolean;
  /** Names of labels by which a rule selects its clients; only clients of this namespace. */
  readonly selected: { readonly namespace: string; readonly labels: readonly string[] } | undefined;
  /** False when the facts affect only EDS and never a cluster. */
  readonly clusters: boolean;
}

/** Undefined when the rule needs no facts about clients, like most rules. */
export function demandOfRule({ trafficPolicy, subsets, selector, namespace }: DestinationRule): Demand | undefined {
  const policies = [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)].flatMap((policy) =>
    policy === undefined ? [] : [policy, ...policy.ports.values()],
  );
  const locality = policies.some(needsLocality);
  const selected = selector === undefined ? undefined : { namespace, labels: Object.keys(selector) };
  if (!locality && selected === undefined) return undefined;
  const labels = policies.flatMap(({ loadBalancer }) => comparedLabels(loadBalancer?.localities));
  return { locality, labels, node: false, cluster: false, selected, clusters: true };
}

/** With outlier detection, ejected endpoints are replaced by the next nearest ones. */
function needsLocality({ outlierDetection, loadBalancer }: PortPolicy): boolean {
  return outlierDetection !== undefined || loadBalancer?.localities !== undefined;
}

/** Names of labels by which a policy compares clients and endpoints. */
export function comparedLabels(policy: LocalityPolicy | undefined): readonly string[] {
  if (policy === undefined || policy.type === "off") return [];
  return policy.failoverPriority.map((label) => label.split("=", 1)[0] ?? "");
}

export function demandOfService(service: Service, mesh: Pick<MeshSettings, "discoveryHost">): Demand | undefined {
  const labels = preferredLabels[service.trafficDistribution];
  const cluster = builtInHost(service, mesh) !== undefined;
  if (labels.length === 0 && !service.nodeLocal && !cluster) return undefined;
  return {
    locality: false,
    labels,
    node: service.nodeLocal,
    cluster,
    selected: undefined,
    clusters: isResolvedByClient(service),
  };
}

/** Labels that make an endpoint near for a service, from the widest area to the smallest. */
export const preferredLabels: Readonly<Record<Service["trafficDistribution"], readonly string[]>> = {
  any: [],
  "same-zone": [networkLabel, regionLabel, zoneLabel],
  "same-node": [networkLabel, regionLabel, zoneLabel, subzoneLabel, nodeLabel],
};
