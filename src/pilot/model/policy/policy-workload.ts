import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import { targetsOf, type Workload } from "../service/service-target.ts";
import type { PolicyWorkload } from "./attached-policies.ts";
import type { PolicyTarget } from "./workload-policy.ts";

/** The facts of a proxy's workload that decide which policies apply to it. */
export function policyWorkloadOf(proxy: Proxy, push: PushContext): PolicyWorkload {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const router = proxy.type === "router";
  const served = router ? [] : targetsOf({ addresses, namespace, labels }, push);
  return { namespace, labels, router, services: served.map(({ service }) => targetOf(service)) };
}

/** A port of a workload, with the services behind it. */
export interface ServedPort {
  readonly port: number;
  readonly services: readonly PolicyTarget[];
}

/** The ports of a workload that its services have, sorted. */
export function servedPorts(workload: Workload, push: PushContext): readonly ServedPort[] {
  const byPort = Map.groupBy(targetsOf(workload, push), ({ targetPort }) => targetPort);
  return Array.from(byPort, ([port, served]) => ({ port, services: served.map(({ service }) => targetOf(service)) }));
}

/** The services that a workload serves at one of its ports. */
export function servicesAt(port: number, workload: Workload, push: PushContext): readonly PolicyTarget[] {
  const served = targetsOf(workload, push).filter(({ targetPort }) => targetPort === port);
  return served.map(({ service }) => targetOf(service));
}

/** A service as policies name it: a Service of Kubernetes, or a ServiceEntry by the name of its object. */
export function targetOf({ owner, namespace, hostname, registry }: Service): PolicyTarget {
  if (registry === "Kubernetes") {
    const [name = ""] = hostname.split(".", 1);
    return { group: "", kind: "Service", namespace, name };
  }
  return {
    group: "networking.istio.io",
    kind: "ServiceEntry",
    namespace,
    name: owner.slice(owner.lastIndexOf("/") + 1),
  };
}
