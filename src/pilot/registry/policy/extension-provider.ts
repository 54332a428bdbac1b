import type { MeshConfig, MeshConfig_ExtensionProvider as IstioProvider } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { completeMesh } from "../../../config/mesh/mesh-defaults.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import { extAuthzGrpcOf, extAuthzHttpOf } from "./ext-authz-provider.ts";
import { type ProviderTarget, providerTarget, type ServicesByHost } from "./provider-target.ts";
import { telemetryProviderOf } from "./telemetry-provider.ts";

/** The providers of the mesh. Their services are resolved here, because policies that name a provider need its cluster. */
export function extensionProvidersOf(said: MeshConfig, servicesByHost: ServicesByHost): readonly ExtensionProvider[] {
  const mesh = completeMesh(said);
  const lookUp = (service: string, port: number) => providerTarget(service, port, servicesByHost);
  return mesh.extensionProviders.map((provider) => providerOf(provider, mesh, lookUp));
}

function providerOf(
  said: IstioProvider,
  mesh: MeshConfig,
  lookUp: (service: string, port: number) => ProviderTarget,
): ExtensionProvider {
  const { name, provider } = said;
  if (provider.case === "envoyExtAuthzGrpc" || provider.case === "envoyExtAuthzHttp") {
    const target = lookUp(provider.value.service, provider.value.port);
    if (provider.case === "envoyExtAuthzGrpc") return extAuthzGrpcOf(name, provider.value, target);
    return extAuthzHttpOf(name, provider.value, target);
  }
  return telemetryProviderOf(said, mesh, ({ service, port }) => lookUp(service, port).cluster);
}
