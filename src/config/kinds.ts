import type { Kind } from "./kind.ts";
import { authorizationPolicy } from "./kinds/authorization-policy.ts";
import { destinationRule } from "./kinds/destination-rule.ts";
import { envoyFilter } from "./kinds/envoy-filter.ts";
import { gateway } from "./kinds/gateway.ts";
import { kubernetesKinds } from "./kinds/kubernetes.ts";
import { httpApiSpec, httpApiSpecBinding } from "./kinds/legacy/api-spec.ts";
import { meshPolicy, policy } from "./kinds/legacy/authentication-policy.ts";
import { mixerKinds } from "./kinds/legacy/mixer-kinds.ts";
import { quotaSpec, quotaSpecBinding } from "./kinds/legacy/quota-spec.ts";
import { clusterRbacConfig, rbacConfig, serviceRole, serviceRoleBinding } from "./kinds/legacy/rbac.ts";
import { meshConfig } from "./kinds/mesh-config.ts";
import { meshNetworks } from "./kinds/mesh-networks.ts";
import { peerAuthentication } from "./kinds/peer-authentication.ts";
import { proxyConfig } from "./kinds/proxy-config.ts";
import { requestAuthentication } from "./kinds/request-authentication.ts";
import { serviceEntry } from "./kinds/service-entry.ts";
import { sidecar } from "./kinds/sidecar.ts";
import { telemetry } from "./kinds/telemetry.ts";
import { trafficExtension } from "./kinds/traffic-extension.ts";
import { virtualService } from "./kinds/virtual-service.ts";
import { wasmPlugin } from "./kinds/wasm-plugin.ts";
import { workloadEntry } from "./kinds/workload-entry.ts";
import { workloadGroup } from "./kinds/workload-group.ts";

/** Kinds that only Mixer read. They are passed on to old peers, and nothing here uses them. */
export const kindsOfMixer: readonly Kind[] = [
  httpApiSpec,
  httpApiSpecBinding,
  quotaSpec,
  quotaSpecBinding,
  ...mixerKinds,
];

/** Every supported kind of configuration. To add one, add a file beside these and a line here. */
export const kinds: readonly Kind[] = [
  meshConfig,
  meshNetworks,
  serviceEntry,
  workloadEntry,
  virtualService,
  destinationRule,
  gateway,
  sidecar,
  workloadGroup,
  envoyFilter,
  proxyConfig,
  peerAuthentication,
  requestAuthentication,
  authorizationPolicy,
  telemetry,
  wasmPlugin,
  trafficExtension,
  ...kubernetesKinds,
  policy,
  meshPolicy,
  serviceRole,
  serviceRoleBinding,
  rbacConfig,
  clusterRbacConfig,
  ...kindsOfMixer,
];

/** Group and version of an `apiVersion`; the group of Kubernetes' own kinds is "". */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** The kind with this name in this API group, whatever the version. */
export function kindInGroup(table: readonly Kind[], group: string, name: string): Kind | undefined {
  return table.find((row) => row.group === group && row.kind === name);
}

/** The kind of an object, by the versions of its group or by an alias. */
export function kindServedAs(table: readonly Kind[], apiVersion: string, name: string): Kind | undefined {
  const { group, version } = splitApiVersion(apiVersion);
  return table.find(
    (row) =>
      row.kind === name &&
      ((row.group === group && row.versions.includes(version)) || row.aliases?.includes(apiVersion)),
  );
}

/** The kind of an object; undefined if the group, the kind or the version is unknown. */
export function kindOf(apiVersion: string, name: string): Kind | undefined {
  return kindServedAs(kinds, apiVersion, name);
}

export function kindByCollection(collection: string): Kind | undefined {
  return kinds.find((row) => row.collection === collection);
}
