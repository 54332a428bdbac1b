import type { MeshConfig, MeshConfig_ExtensionProvider as IstioProvider } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { completeMesh } from "../../../config/mesh/mesh-defaults.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import type { Service } from "../../model/service/service.ts";

/** The services with a hostname, in any namespace. */
export type ServicesByHost = (hostname: string) => readonly Service[];

/** The providers of the mesh. Their services are resolved here, because policies that name a provider need its cluster. */
export function extensionProvidersOf(said: MeshConfig, servicesByHost: ServicesByHost): readonly ExtensionProvider[] {
  return completeMesh(said).extensionProviders.map((provider) => ({
    name: provider.name,
    cluster: clusterOf(provider, servicesByHost),
  }));
}

function clusterOf({ provider: { value } }: IstioProvider, servicesByHost: ServicesByHost): string | undefined {
  if (value === undefined || !("service" in value)) return undefined;
  const hostname = providerHostname(value.service, servicesByHost);
  return hostname === undefined ? undefined : `outbound|${value.port}||${hostname}`;
}

/** `namespace/hostname`, or a hostname that only one namespace has. */
function providerHostname(service: string, servicesByHost: ServicesByHost): string | undefined {
  const slash = service.indexOf("/");
  const hostname = service.slice(slash + 1);
  const found = servicesByHost(hostname);
  if (slash === -1) return found.length === 1 ? hostname : undefined;
  return found.some(({ namespace }) => namespace === service.slice(0, slash)) ? hostname : undefined;
}
