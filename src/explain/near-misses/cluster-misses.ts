import { hostnameCovers } from "../../config/grammar/hostname.ts";
import { selects } from "../../config/selector.ts";
import { counted } from "../../lib/counted.ts";
import { type Endpoint, type Service, serviceKey } from "../../pilot/model/service/service.ts";
import { isVisibleFrom } from "../../pilot/model/service/visibility.ts";
import type { DestinationRule, Subset } from "../../pilot/model/traffic/destination-rule.ts";
import { ruleFor } from "../../pilot/model/traffic/rule-for.ts";
import { type ClusterReference, parseClusterName } from "../../pilot/networking/cluster/cluster-name.ts";
import { type LookupContext, labelsText, listText, type NearMiss } from "./near-miss.ts";
import { serviceInScope, serviceMisses } from "./service-misses.ts";

/** Why requests fail at a cluster that a route leads to: its service, its subset, or its endpoints. */
export function clusterMisses(context: LookupContext, cluster: string): readonly NearMiss[] {
  const reference = parseClusterName(cluster);
  if (reference === undefined) return [];
  const service = serviceInScope(context, reference.hostname);
  const port = service?.ports.find(({ number }) => number === reference.port);
  if (service === undefined || port === undefined) return serviceMisses(context, { ...reference, http: false });
  const { proxy, push } = context;
  const rule = ruleFor(service, proxy.namespace, push, proxy.labels);
  const subset = rule?.subsets.find(({ name }) => name === reference.subset);
  if (reference.subset !== "" && subset === undefined) return subsetMisses(rule, reference, context);
  const all = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  const ofPort = all.filter(({ servicePortName }) => servicePortName === port.name);
  return [...endpointMisses(service, { all, ofPort, subset, rule }), ...tlsMisses(rule, subset, context)];
}

/** A rule that has the subset and is not the one that counts, or the one that counts and has others. */
function subsetMisses(
  rule: DestinationRule | undefined,
  { hostname, subset }: ClusterReference,
  { proxy, push }: LookupContext,
): readonly NearMiss[] {
  const withSubset = [...push.destinationRules.values()].filter(({ host, subsets }) => {
    return hostnameCovers(host, hostname) && subsets.some(({ name }) => name === subset);
  });
  const hidden = withSubset.flatMap((other) => {
    const why = isVisibleFrom(proxy.namespace, other)
      ? `has subset ${subset}, and another rule applies to this proxy`
      : `has subset ${subset}, and its exportTo (${listText(other.exportTo)}) hides it from namespace ${proxy.namespace}`;
    return other.owners.map((object) => ({ object, why }));
  });
  const [owner] = rule?.owners ?? [];
  if (rule === undefined || owner === undefined) return hidden;
  const names = rule.subsets.map(({ name }) => name);
  const has = names.length === 0 ? "no subsets" : `subset ${listText(names)}`;
  return [{ object: owner, why: `has ${has}, not ${subset}` }, ...hidden];
}

interface Candidates {
  readonly all: readonly Endpoint[];
  readonly ofPort: readonly Endpoint[];
  readonly subset: Subset | undefined;
  readonly rule: DestinationRule | undefined;
}

function endpointMisses({ owner }: Service, { all, ofPort, subset, rule }: Candidates): readonly NearMiss[] {
  if (all.length === 0) return [{ object: owner, why: "has no endpoints" }];
  const has = counted(all.length, "endpoint");
  if (ofPort.length === 0) return [{ object: owner, why: `has ${has}, and none of this port` }];
  const [object] = rule?.owners ?? [];
  if (subset === undefined || object === undefined) return [];
  if (ofPort.some(({ labels }) => selects(subset.labels, labels))) return [];
  const names = Object.keys(subset.labels);
  const found = [...new Set(ofPort.map(({ labels }) => labelsText(labels, names)))];
  const why = `has subset ${subset.name} of ${labelsText(subset.labels)}; the endpoints have ${listText(found)}`;
  return [{ object, why }];
}

/** Mesh mTLS that a rule asks of a proxy without certificates. */
function tlsMisses(
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  { proxy }: LookupContext,
): readonly NearMiss[] {
  const mode = (subset?.trafficPolicy?.tls ?? rule?.trafficPolicy?.tls)?.mode;
  const [object] = rule?.owners ?? [];
  if (object === undefined || mode !== "istio-mutual" || proxy.certificates.type !== "none") return [];
  return [{ object, why: "requires ISTIO_MUTUAL, and this proxy has no certificates (its SDS_MODE is none)" }];
}
