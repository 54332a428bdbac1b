import type { PushContext } from "../../model/push-context.ts";
import type { Scope } from "../../model/scope/sidecar-scope.ts";
import { onlyPortOf } from "../../model/service/service.ts";
import type { DestinationRule } from "../../model/traffic/destination-rule.ts";
import { ruleFor } from "../../model/traffic/rule-for.ts";
import type { Destination, VirtualService } from "../../model/traffic/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import type { WeightedCluster } from "./tcp-proxy.ts";

/** The destination of connections that a virtual service routes. */
export interface ConnectionTarget {
  readonly statPrefix: string;
  /** One, or several by weight. */
  readonly clusters: string | readonly WeightedCluster[];
  /** The subset that the one cluster is, if any. */
  readonly subset?: string | undefined;
  /** The rule that limits the duration of connections: the rule of the first destination. */
  readonly rule: DestinationRule | undefined;
}

/** The part of the mesh that resolves destinations. */
export interface TargetContext {
  readonly scope: Scope;
  readonly push: PushContext;
  /** For destinations without a port whose service has several ports. */
  readonly listenPort: number;
}

/** Undefined for a route that gives all of its destinations no weight. */
export function connectionTarget(
  virtualService: VirtualService,
  destinations: readonly Destination[],
  { scope, push, listenPort }: TargetContext,
): ConnectionTarget | undefined {
  const [first, ...others] = destinations;
  if (first === undefined) return undefined;
  const nameOf = (destination: Destination) => destinationCluster(destination, listenPort, scope);
  const service = scope.service(first.hostname);
  const rule = service === undefined ? undefined : ruleFor(service, scope.namespace, push);
  if (others.length === 0) return { statPrefix: nameOf(first), clusters: nameOf(first), subset: first.subset, rule };
  const clusters = destinations
    .filter(({ weight }) => weight > 0)
    .map((destination) => ({ name: nameOf(destination), weight: destination.weight }));
  if (clusters.length === 0) return undefined;
  return { statPrefix: `${virtualService.name}.${virtualService.namespace}`, clusters, rule };
}

/** Without a port: the service's only one, else the listener's. */
function destinationCluster({ hostname, subset, port }: Destination, listenPort: number, scope: Scope): string {
  return clusterName(port ?? onlyPortOf(scope.service(hostname)) ?? listenPort, subset, hostname);
}
