import type { Service } from "../../model/service/service.ts";

/** The services with a hostname, in any namespace. */
export type ServicesByHost = (hostname: string) => readonly Service[];

/** The service of a provider, and its cluster, if the service is known and unambiguous. */
export interface ProviderTarget {
  readonly hostname: string;
  readonly cluster: string | undefined;
}

/** Resolves `namespace/hostname`, or a hostname that only one namespace has. */
export function providerTarget(service: string, port: number, servicesByHost: ServicesByHost): ProviderTarget {
  const slash = service.indexOf("/");
  const hostname = service.slice(slash + 1);
  const found = servicesByHost(hostname);
  const isKnown =
    slash === -1 ? found.length === 1 : found.some(({ namespace }) => namespace === service.slice(0, slash));
  return { hostname, cluster: isKnown ? `outbound|${port}||${hostname}` : undefined };
}
