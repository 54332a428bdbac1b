import { networkLabel, regionLabel, subzoneLabel, zoneLabel } from "../../../config/mesh/place-labels.ts";
import { isResolvedByClient, type Service } from "../service/service.ts";
import type { DestinationRule, LocalityPolicy, PortPolicy } from "../traffic/destination-rule.ts";
import { nodeLabel } from "./topology.ts";

/** What a rule or a service has to know of a client before it can say which endpoints are for it. */
export interface Demand {
  /** Where it is. */
  readonly locality: boolean;
  /** The names of labels it is compared by. */
  readonly labels: readonly string[];
  /** Which machine it runs on. */
  readonly node: boolean;
  /** The names of labels by which a rule selects its clients; of this namespace alone. */
  readonly selected: { readonly namespace: string; readonly labels: readonly string[] } | undefined;
  /** False when the answer never stands in a cluster, only in the endpoints that are sent apart. */
  readonly clusters: boolean;
}

/** Undefined when nothing has to be known, as with most rules. */
export function demandOfRule({ trafficPolicy, subsets, selector, namespace }: DestinationRule): Demand | undefined {
  const policies = [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)].flatMap((policy) =>
    policy === undefined ? [] : [policy, ...policy.ports.values()],
  );
  const locality = policies.some(asksForPlace);
  const selected = selector === undefined ? undefined : { namespace, labels: Object.keys(selector) };
  if (!locality && selected === undefined) return undefined;
  const labels = policies.flatMap(({ loadBalancer }) => comparedLabels(loadBalancer?.localities));
  return { locality, labels, node: false, selected, clusters: true };
}

/** Endpoints that are ill are replaced by the next nearest. */
function asksForPlace({ outlierDetection, loadBalancer }: PortPolicy): boolean {
  return outlierDetection !== undefined || loadBalancer?.localities !== undefined;
}

/** The names of the labels that a policy compares clients and endpoints by. */
export function comparedLabels(policy: LocalityPolicy | undefined): readonly string[] {
  if (policy === undefined || policy.type === "off") return [];
  return policy.failoverPriority.map((label) => label.split("=", 1)[0] ?? "");
}

export function demandOfService(service: Service): Demand | undefined {
  const labels = preferredLabels[service.trafficDistribution];
  if (labels.length === 0 && !service.nodeLocal) return undefined;
  return {
    locality: false,
    labels,
    node: service.nodeLocal,
    selected: undefined,
    clusters: isResolvedByClient(service),
  };
}

/** What makes an endpoint near in the eyes of a service, the widest circle first. */
export const preferredLabels: Readonly<Record<Service["trafficDistribution"], readonly string[]>> = {
  any: [],
  "same-zone": [networkLabel, regionLabel, zoneLabel],
  "same-node": [networkLabel, regionLabel, zoneLabel, subzoneLabel, nodeLabel],
};
