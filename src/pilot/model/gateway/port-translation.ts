import type { PushContext } from "../push-context.ts";
import type { Workload } from "../service/service-target.ts";
import { targetsOf } from "../service/service-target.ts";

/** Maps ports that gateways declare to ports that the proxy listens on. A port without an entry stays the same. */
export type PortTranslation = ReadonlyMap<number, number>;

export const noTranslation: PortTranslation = new Map();

const optOut = "experimental.istio.io/disable-gateway-port-translation";

/**
 * A gateway declares ports of the router's own service. If the service maps 443 to 8443, a server for 443 listens on
 * 8443. If several services have the port, the first one decides.
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
