import type { Labels } from "../../../../config/config.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Scope } from "../../../model/scope/sidecar-scope.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import type { DestinationRule, Subset } from "../../../model/traffic/destination-rule.ts";
import { ruleFor } from "../../../model/traffic/rule-for.ts";
import { serviceClusterName } from "../cluster-name.ts";

/** One cluster of a service: a port, and all endpoints or a subset of them. */
export interface ServiceCluster {
  readonly service: Service;
  readonly port: Port;
  readonly rule: DestinationRule | undefined;
  readonly subset: Subset | undefined;
}

/** The clients of the clusters: workloads of a namespace, with the labels that rules select by. */
export interface Caller {
  readonly namespace: string;
  readonly labels: Labels;
}

/** The clusters of a service as a caller sees it, each port's default one first. */
export function* serviceClusters(
  service: Service,
  { namespace, labels }: Caller,
  push: PushContext,
): Generator<ServiceCluster> {
  const rule = ruleFor(service, namespace, push, labels);
  for (const port of service.ports) {
    if (port.protocol === "UDP") continue;
    yield { service, port, rule, subset: undefined };
    for (const subset of rule?.subsets ?? []) yield { service, port, rule, subset };
  }
}

/** The names of all clusters of some hosts, before and after a change: the coverage of a partial run. */
export function clusterNames(
  hostnames: ReadonlySet<string>,
  pushes: readonly { readonly push: PushContext; readonly scope: Scope }[],
  { labels, sniDnat }: { readonly labels: Labels; readonly sniDnat: boolean },
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { push, scope } of pushes) {
    for (const service of servicesNamed(hostnames, scope)) {
      for (const { port, subset } of serviceClusters(service, { namespace: scope.namespace, labels }, push)) {
        names.add(serviceClusterName(service, port, subset, sniDnat));
      }
    }
  }
  return names;
}

/** The services of these names within a scope, sorted; all of them for "all". */
export function servicesNamed(hostnames: ReadonlySet<string> | "all", scope: Scope): readonly Service[] {
  if (hostnames === "all") return scope.services;
  return [...hostnames].toSorted().flatMap((hostname) => scope.service(hostname) ?? []);
}
