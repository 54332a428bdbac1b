import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { IngressListener } from "../../../model/scope/sidecar.ts";
import type { ScopeRef, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { ServiceTarget, Workload } from "../../../model/service/service-target.ts";
import { targetsOf } from "../../../model/service/service-target.ts";
import { ruleFor } from "../../../model/traffic/rule-for.ts";
import { effectivePolicy } from "../traffic-policy.ts";
import type { InboundClusterInputs, InboundDestination } from "./build-inbound-cluster.ts";
import { ingressDestination } from "./ingress-destination.ts";

/** The facts of a proxy that decide which ports of its workload it has clusters for. */
export interface WorkloadFacts {
  readonly workload: Workload;
  readonly ref: ScopeRef;
  readonly interception: Proxy["interception"];
  readonly families: AddressFamilies;
}

/**
 * The inbound clusters of a workload. If its Sidecar has ingress listeners, only these count. Otherwise the ports of
 * the services that the workload serves count. Without interception these are the workload's own ports, which the proxy
 * cannot bind. If several share a port, the first decides.
 */
export function workloadClusters(facts: WorkloadFacts, push: PushContext): readonly InboundClusterInputs[] {
  const scope = sidecarScopeFor(facts.ref, push);
  const targets = targetsOf(facts.workload, push);
  const around = { facts, scope, push };
  if (scope.ingress.length > 0) {
    const byPort = Map.groupBy(scope.ingress, ({ port }) => port.number);
    return [...byPort.values()].flatMap(([first]) =>
      first === undefined ? [] : ingressCluster(first, targets, around),
    );
  }
  if (facts.interception === "none") return [];
  const byPort = Map.groupBy(targets, ({ targetPort }) => targetPort);
  return [...byPort.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : targetCluster(first, others, around),
  );
}

interface Context {
  readonly facts: WorkloadFacts;
  readonly scope: SidecarScope;
  readonly push: PushContext;
}

/** The oldest service decides; other services on the same port are listed after it. */
function targetCluster(first: ServiceTarget, others: readonly ServiceTarget[], around: Context) {
  const { families } = around.facts;
  const alike = others.filter(({ port }) => port.number === first.port.number).map(({ service }) => service);
  const address = families === "v6" ? "::1" : "127.0.0.1";
  return inputsOf(
    {
      port: first.targetPort,
      servicePort: first.port.number,
      protocol: first.port.protocol,
      destination:
        around.push.mesh.inboundMode === "localhost"
          ? { type: "address", address, port: first.targetPort }
          : { type: "original" },
      services: [...new Set([first.service, ...alike])],
    },
    around,
  );
}

function ingressCluster(listener: IngressListener, targets: readonly ServiceTarget[], around: Context) {
  const { number, protocol } = listener.port;
  const served = targets.find(({ targetPort }) => targetPort === number);
  return inputsOf(
    {
      port: number,
      servicePort: number,
      protocol,
      destination: ingressDestination(listener.defaultEndpoint, around.facts),
      services: served === undefined ? [] : [served.service],
    },
    around,
  );
}

interface InboundTarget {
  readonly port: number;
  readonly servicePort: number;
  readonly protocol: Protocol;
  readonly destination: InboundDestination;
  readonly services: readonly Service[];
}

/** The limits of the Sidecar's listener, else of the Sidecar, else the limits that the service's callers get. */
function inputsOf(target: InboundTarget, { facts, scope, push }: Context): InboundClusterInputs {
  const [service] = target.services;
  const rule = service === undefined ? undefined : ruleFor(service, facts.workload.namespace, push);
  const listener = scope.ingress.find(({ port }) => port.number === target.port);
  return {
    ...target,
    rule: rule?.trafficPolicy === undefined ? undefined : rule,
    pool:
      listener?.connectionPool ??
      scope.inboundConnectionPool ??
      effectivePolicy(rule, undefined, target.servicePort, push.mesh).connectionPool,
    families: facts.families,
    mesh: push.mesh,
  };
}
