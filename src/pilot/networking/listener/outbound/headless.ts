import type { PushContext } from "../../../model/push-context.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import { serviceKey } from "../../../model/service/service.ts";

/** A service without an address of its own: callers pick one of its endpoints themselves. */
export function isHeadless({ resolution, addresses }: Service): boolean {
  return resolution === "passthrough" && addresses.length === 0;
}

/** Where a port of a service is served, each address once. */
export function endpointAddresses(service: Service, { name }: Pick<Port, "name">, push: PushContext): Set<string> {
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
