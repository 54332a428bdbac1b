import type { PushContext } from "../push-context.ts";
import type { Workload } from "../service/service-target.ts";
import { targetsOf } from "../service/service-target.ts";

/** From ports that gateways ask for to those that the proxy has to listen on; ports that are not there stay. */
export type PortTranslation = ReadonlyMap<number, number>;

export const noTranslation: PortTranslation = new Map();

const optOut = "experimental.istio.io/disable-gateway-port-translation";

/**
 * A gateway means the ports by which a router's own service is called: behind a service that leads from 443 to 8443 a
 * server for 443 listens on 8443. Of several services the first that has the port decides.
 */
export function portTranslationFor(workload: Workload, push: PushContext): PortTranslation {
  const targets = new Map<number, number>();
  for (const { service, port, targetPort } of targetsOf(workload, push)) {
    if (port.protocol === "UDP" || service.labels[optOut] !== undefined || targets.has(port.number)) continue;
    targets.set(port.number, targetPort);
  }
  for (const [port, target] of targets) if (port === target) targets.delete(port);
  return targets.size === 0 ? noTranslation : targets;
}

/** Equal ids mean equal translations: part of the id of every part that depends on a router's ports. */
export function portTranslationId(translation: PortTranslation): string {
  return translation.size === 0 ? "" : JSON.stringify([...translation].toSorted(([a], [b]) => a - b));
}
