import type { MeshConfig, MeshConfig_ExtensionProvider as IstioProvider } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { completeMesh } from "../../../config/mesh/mesh-defaults.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import { extAuthzGrpcOf, extAuthzHttpOf } from "./ext-authz-provider.ts";
import { type ProviderTarget, providerTarget, type ServicesByHost } from "./provider-target.ts";

/** The providers of the mesh. Their services are resolved here, because policies that name a provider need its cluster. */
export function extensionProvidersOf(said: MeshConfig, servicesByHost: ServicesByHost): readonly ExtensionProvider[] {
  return completeMesh(said).extensionProviders.map((provider) => providerOf(provider, servicesByHost));
}

function providerOf({ name, provider }: IstioProvider, servicesByHost: ServicesByHost): ExtensionProvider {
  const target = targetOf(provider, servicesByHost);
  if (provider.case === "envoyExtAuthzGrpc") return extAuthzGrpcOf(name, provider.value, target);
  if (provider.case === "envoyExtAuthzHttp") return extAuthzHttpOf(name, provider.value, target);
  return { type: "unused", name, cluster: target.cluster };
}

function targetOf({ value }: IstioProvider["provider"], servicesByHost: ServicesByHost): ProviderTarget {
  if (value === undefined || !("service" in value)) return { hostname: "", cluster: undefined };
  return providerTarget(value.service, value.port, servicesByHost);
}
