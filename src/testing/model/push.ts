import type { View } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import { configKey } from "../../config/config.ts";
import type { Credential } from "../../pilot/model/credential/credential.ts";
import type { Gateway } from "../../pilot/model/gateway/gateway.ts";
import { type Demand, demandOfRule, demandOfService } from "../../pilot/model/location/demand.ts";
import { type NetworkGateway, networkGatewayKey } from "../../pilot/model/location/networks.ts";
import { defaultMeshSettings, MESH_KEY, type MeshSettings } from "../../pilot/model/mesh-settings.ts";
import type { PeerAuthentication } from "../../pilot/model/mtls/peer-authentication.ts";
import type { AuthorizationPolicy } from "../../pilot/model/policy/authorization-policy.ts";
import type { EnvoyFilter } from "../../pilot/model/policy/envoy-filter.ts";
import type { Extension } from "../../pilot/model/policy/extension.ts";
import type { ExtensionProvider } from "../../pilot/model/policy/extension-provider.ts";
import type { ProxyConfig } from "../../pilot/model/policy/proxy-config.ts";
import type { RequestAuthentication } from "../../pilot/model/policy/request-authentication.ts";
import type { Telemetry } from "../../pilot/model/policy/telemetry.ts";
import type { WorkloadPolicy } from "../../pilot/model/policy/workload-policy.ts";
import { capturePush, type PushContext } from "../../pilot/model/push-context.ts";
import type { Sidecar } from "../../pilot/model/scope/sidecar.ts";
import {
  type Service,
  type ServiceEndpoints,
  type ServiceInstance,
  serviceKey,
} from "../../pilot/model/service/service.ts";
import { type ServicePeers, servicePeersOf } from "../../pilot/model/service/service-peers.ts";
import type { DestinationRule, HostRules } from "../../pilot/model/traffic/destination-rule.ts";
import { matchesClientLabels, type VirtualService } from "../../pilot/model/traffic/virtual-service.ts";
import type { TrustAnchor } from "../../pilot/model/trust-anchor.ts";

/** Model objects of a mesh; its settings are the defaults themselves where none are given. */
export interface Mesh {
  readonly services?: readonly Service[];
  readonly rules?: readonly DestinationRule[];
  readonly virtualServices?: readonly VirtualService[];
  readonly endpoints?: readonly ServiceEndpoints[];
  readonly gateways?: readonly Gateway[];
  readonly sidecars?: readonly Sidecar[];
  readonly peerAuthentications?: readonly PeerAuthentication[];
  readonly secrets?: readonly Credential[];
  readonly configMaps?: readonly Credential[];
  readonly networkGateways?: readonly NetworkGateway[];
  readonly authorizationPolicies?: readonly AuthorizationPolicy[];
  readonly requestAuthentications?: readonly RequestAuthentication[];
  readonly telemetries?: readonly Telemetry[];
  readonly proxyConfigs?: readonly ProxyConfig[];
  readonly envoyFilters?: readonly EnvoyFilter[];
  readonly extensions?: readonly Extension[];
  readonly extensionProviders?: readonly ExtensionProvider[];
  readonly trustAnchors?: readonly TrustAnchor[];
  readonly mesh?: Partial<MeshSettings>;
}

/** A push context of model objects, for tests of what is looked up in it. Rules of one host are not merged. */
export function pushOf({
  services = [],
  rules = [],
  virtualServices = [],
  endpoints = [],
  gateways = [],
  sidecars = [],
  peerAuthentications = [],
  secrets = [],
  configMaps = [],
  networkGateways = [],
  authorizationPolicies = [],
  requestAuthentications = [],
  telemetries = [],
  proxyConfigs = [],
  envoyFilters = [],
  extensions = [],
  extensionProviders = [],
  trustAnchors = [],
  mesh,
}: Mesh): PushContext {
  const settings = mesh === undefined ? defaultMeshSettings : { ...defaultMeshSettings, ...mesh };
  const hostRules = Map.groupBy(rules, ({ namespace, host }) => `${namespace}/${host}`);
  const bound = virtualServices.flatMap((one) => one.gateways.map((gateway) => [gateway, one] as const));
  const byGateway = Map.groupBy(bound, ([gateway]) => gateway);
  const labelled = Map.groupBy(
    bound.filter(([, one]) => matchesClientLabels(one)),
    ([gateway]) => gateway,
  );
  return capturePush(
    {
      services: viewOf(services.map((service) => [serviceKey(service), service])),
      endpoints: viewOf(endpoints.map((each) => [serviceKey(each), each])),
      virtualServices: viewOf(virtualServices.map((one) => [configKey(one), one])),
      virtualServicesByGateway: viewOf(Array.from(byGateway, ([key, list]) => [key, list.map(([, one]) => one)])),
      labelledVirtualServices: viewOf(Array.from(labelled, ([key, list]) => [key, list.map(([, one]) => one)])),
      destinationRules: viewOf(rules.map((rule) => [configKey(rule), rule])),
      hostRules: viewOf(Array.from(hostRules, ([key, list]) => [key, hostRulesOf(list)])),
      gateways: viewOf(gateways.map((gateway) => [configKey(gateway), gateway])),
      sidecars: viewOf(sidecars.map((sidecar) => [configKey(sidecar), sidecar])),
      sidecarsByNamespace: viewOf(Map.groupBy(sidecars, ({ namespace }) => namespace)),
      secretCredentials: viewOf(secrets.map((secret) => [configKey(secret), secret])),
      configMapCredentials: viewOf(configMaps.map((map) => [configKey(map), map])),
      peerAuthentications: viewOf(peerAuthentications.map((policy) => [configKey(policy), policy])),
      peerAuthenticationsByNamespace: viewOf(Map.groupBy(peerAuthentications, ({ namespace }) => namespace)),
      ...policyViews("authorizationPolicies", authorizationPolicies),
      ...policyViews("requestAuthentications", requestAuthentications),
      ...policyViews("telemetries", telemetries),
      ...policyViews("proxyConfigs", proxyConfigs),
      ...policyViews("envoyFilters", envoyFilters),
      extensions: viewOf(extensions.map((extension) => [extension.owner, extension])),
      extensionsByNamespace: viewOf(Map.groupBy(extensions, ({ namespace }) => namespace)),
      extensionProviders: viewOf(extensionProviders.map((provider) => [provider.name, provider])),
      instances: viewOf(instancesOf(endpoints)),
      peers: viewOf(endpoints.map((each): [string, ServicePeers] => [serviceKey(each), servicePeersOf(each)])),
      demands: viewOf(demandsOf(rules, services, settings)),
      networkGateways: viewOf(networkGateways.map((gateway) => [networkGatewayKey(gateway), gateway])),
      trustAnchors: viewOf(trustAnchors.map((anchor) => [anchor.pem, anchor])),
      mesh: viewOf([[MESH_KEY, settings]]),
    },
    1,
  );
}

/** The two views of a kind of policies, under their names in the push context. */
function policyViews<const Name extends string, P extends WorkloadPolicy>(name: Name, policies: readonly P[]) {
  const views = {
    [name]: viewOf(policies.map((policy) => [configKey(policy), policy])),
    [`${name}ByNamespace`]: viewOf(Map.groupBy(policies, ({ namespace }) => namespace)),
  };
  return views as Record<Name, View<P>> & Record<`${Name}ByNamespace`, View<readonly P[]>>;
}

function instancesOf(endpoints: readonly ServiceEndpoints[]): ReadonlyMap<string, readonly ServiceInstance[]> {
  const instances = endpoints.flatMap((each) =>
    each.endpoints.map((endpoint): ServiceInstance => ({ service: serviceKey(each), endpoint })),
  );
  return Map.groupBy(instances, ({ endpoint }) => endpoint.address);
}

function demandsOf(
  rules: readonly DestinationRule[],
  services: readonly Service[],
  mesh: MeshSettings,
): readonly (readonly [string, Demand])[] {
  const demands = [...rules.map(demandOfRule), ...services.map((service) => demandOfService(service, mesh))];
  return demands.flatMap((demand) => (demand === undefined ? [] : [[JSON.stringify(demand), demand]]));
}

function hostRulesOf(rules: readonly DestinationRule[]): HostRules {
  return { namespace: rules[0]?.namespace ?? "", host: rules[0]?.host ?? "", rules };
}

/** A view of exactly these entries. */
export function viewOf<T>(entries: Iterable<readonly [key: string, value: T]>): View<T> {
  const input = new Graph().input<T>("view");
  input.replaceAll(entries);
  return input.snapshot();
}
