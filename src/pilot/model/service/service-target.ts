import { Memo } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { Labels } from "../labels.ts";
import type { PushContext } from "../push-context.ts";
import type { Port, Service } from "./service.ts";

/** The facts of a workload that decide what its own proxy lets in. */
export interface Workload {
  readonly addresses: readonly string[];
  readonly namespace: string;
  readonly labels: Labels;
}

/** A port of a service that a workload serves. */
export interface ServiceTarget {
  readonly service: Service;
  readonly port: Port;
  /** Where the workload itself listens. */
  readonly targetPort: number;
}

const targets = new Memo<readonly ServiceTarget[]>();

/**
 * What a workload serves: the services of its namespace that have an endpoint at one of its addresses. Those of other
 * namespaces do not count, or anybody could put a service in front of it. By target port, the oldest service first;
 * UDP last, since what is let in by the proxy arrives over TCP.
 */
export function targetsOf({ addresses, namespace }: Workload, push: PushContext): readonly ServiceTarget[] {
  const id = JSON.stringify([addresses, namespace]);
  return targets.get([push.instances, push.services], id, () => findTargets(addresses, namespace, push));
}

function findTargets(addresses: readonly string[], namespace: string, push: PushContext): readonly ServiceTarget[] {
  const found = new Map<string, ServiceTarget>();
  for (const { service: key, endpoint } of addresses.flatMap((address) => push.instances.get(address) ?? [])) {
    const service = push.services.get(key);
    if (service === undefined || service.namespace !== namespace) continue;
    const port = service.ports.find(({ name }) => name === endpoint.servicePortName);
    if (port === undefined) continue;
    found.set(`${key} ${port.number} ${endpoint.port}`, { service, port, targetPort: endpoint.port });
  }
  return [...found.values()].toSorted(
    (a, b) =>
      a.targetPort - b.targetPort ||
      Number(a.port.protocol === "UDP") - Number(b.port.protocol === "UDP") ||
      compareServiceAge(a.service, b.service) ||
      a.port.number - b.port.number,
  );
}
