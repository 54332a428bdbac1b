import type { Labels } from "../../../../config/config.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { NameSet } from "../../../../xds/resources/name-set.ts";
import { locationOf, type ProxyLocation } from "../../../model/location/proxy-location.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Scope } from "../../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import { ruleFor } from "../../../model/traffic/rule-for.ts";
import { clusterName, parseClusterName } from "../../../networking/cluster/cluster-name.ts";
import { type ServiceCluster, serviceClusters } from "../../../networking/cluster/outbound/service-clusters.ts";
import type { Dependencies, PartFamily } from "../../generator.ts";
import { onlyHostnames, sidecarDependencies } from "../dependencies.ts";
import { type NamesPart, namesParts } from "./names-part.ts";

/** Inputs that clients with the same location share. */
export interface ClustersPart extends NamesPart {
  readonly location: ProxyLocation;
}

/** For clusters, or for endpoints, which depend on more facts. */
export function clustersParts(what: "clusters" | "endpoints"): PartFamily<ClustersPart>["parts"] {
  return (proxy, push, asked) => {
    const location = locationOf(proxy, push, what);
    return namesParts(proxy, push, asked).map((part) => ({ ...part, location }));
  };
}

/** The clusters of a part's names; undefined for names without a service in the scope. */
export function* clustersAsked(
  { ref, names, location }: ClustersPart,
  push: PushContext,
): Generator<readonly [name: string, cluster: ServiceCluster | undefined]> {
  const scope = sidecarScopeFor(ref, push);
  const labels = location.selected;
  if (names !== "all") {
    for (const name of names) yield [name, clusterNamed(name, { scope, labels }, push)];
    return;
  }
  const caller = { namespace: scope.namespace, labels };
  for (const cluster of scope.services.flatMap((service) => [...serviceClusters(service, caller, push)])) {
    const { service, port, subset } = cluster;
    yield [clusterName(port.number, subset?.name ?? "", service.hostname), cluster];
  }
}

function clusterNamed(
  name: string,
  { scope, labels }: { readonly scope: Scope; readonly labels: Labels },
  push: PushContext,
): ServiceCluster | undefined {
  const meant = parseClusterName(name);
  const service = meant === undefined ? undefined : scope.service(meant.hostname);
  const port = service?.ports.find(({ number, protocol }) => number === meant?.port && protocol !== "UDP");
  if (meant === undefined || service === undefined || port === undefined) return undefined;
  const rule = ruleFor(service, scope.namespace, push, labels);
  if (meant.subset === "") return { service, port, rule, subset: undefined };
  const subset = rule?.subsets.find((candidate) => candidate.name === meant.subset);
  return subset === undefined ? undefined : { service, port, rule, subset };
}

/** The dependencies of a part of named clusters, or of their endpoints. */
export function clusterDependencies({ ref, names }: NamesPart, push: PushContext): Dependencies {
  const all = sidecarDependencies(ref, push);
  return names === "all" ? all : onlyHostnames(hostnamesIn(names), all);
}

const hostnamesIn = oncePer(
  (names: NameSet): ReadonlySet<string> => new Set(Array.from(names, (name) => parseClusterName(name)?.hostname ?? "")),
);
