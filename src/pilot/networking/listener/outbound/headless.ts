import type { PushContext } from "../../../model/push-context.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import { isHeadless, serviceKey } from "../../../model/service/service.ts";

/** Where a port of a service is served, each address once. */
export function endpointAddresses(
  service: Service,
  { name }: Pick<Port, "name">,
  push: Pick<PushContext, "endpoints">,
): Set<string> {
  const known = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  return new Set(known.filter(({ servicePortName }) => servicePortName === name).map(({ address }) => address));
}

/** True for the address of an endpoint of some headless service. */
export function servesHeadless(address: string, push: PushContext): boolean {
  const instances = push.instances.get(address) ?? [];
  return instances.some(({ service: key }) => {
    const service = push.services.get(key);
    return service !== undefined && isHeadless(service);
  });
}
