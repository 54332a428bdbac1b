import type { Labels } from "../../../config/config.ts";
import { memoize } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { PushContext } from "../push-context.ts";
import type { Port, Service, ServiceInstance } from "./service.ts";

/** The facts of a workload that decide about its inbound listeners. */
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

/**
 * The services of a workload: services of its namespace with an endpoint at one of its addresses. Services of other
 * namespaces are ignored, or every user could put a service in front of the workload. Sorted by target port, then the
 * oldest service first. UDP is last, because the proxy accepts inbound traffic over TCP only.
 */
export function targetsOf({ addresses, namespace }: Workload, push: PushContext): readonly ServiceTarget[] {
  const { services, instances } = push;
  return findTargets([services, ...addresses.map((address) => instances.get(address))], { namespace });
}

/** Keyed by the instances at each address, so that endpoints elsewhere cost nothing here. */
type Found = readonly [PushContext["services"], ...(readonly ServiceInstance[] | undefined)[]];

const findTargets = memoize(
  ([services, ...lists]: Found, { namespace }: Pick<Workload, "namespace">): readonly ServiceTarget[] => {
    const found = new Map<string, ServiceTarget>();
    for (const { service: key, endpoint } of lists.flatMap((list) => list ?? [])) {
      const service = services.get(key);
      if (service === undefined || service.namespace !== namespace) continue;
      const port = service.ports.find(({ name }) => name === endpoint.servicePortName);
      if (port === undefined) continue;
      found.set(`${key} ${port.number} ${endpoint.port}`, { service, port, targetPort: endpoint.port });
    }
    return [...found.values()].toSorted(compareTargets);
  },
);

function compareTargets(a: ServiceTarget, b: ServiceTarget): number {
  return (
    a.targetPort - b.targetPort ||
    Number(a.port.protocol === "UDP") - Number(b.port.protocol === "UDP") ||
    compareServiceAge(a.service, b.service) ||
    a.port.number - b.port.number
  );
}
