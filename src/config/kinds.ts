import type { Kind } from "./kind.ts";
import { destinationRule } from "./kinds/destination-rule.ts";
import { gateway } from "./kinds/gateway.ts";
import { kubernetesKinds } from "./kinds/kubernetes.ts";
import { meshConfig } from "./kinds/mesh-config.ts";
import { serviceEntry } from "./kinds/service-entry.ts";
import { serviceRole } from "./kinds/service-role.ts";
import { sidecar } from "./kinds/sidecar.ts";
import { virtualService } from "./kinds/virtual-service.ts";
import { workloadEntry } from "./kinds/workload-entry.ts";

/** Every kind of configuration we understand. Adding one is a file beside these and a line here. */
export const kinds: readonly Kind[] = [
  meshConfig,
  serviceEntry,
  workloadEntry,
  virtualService,
  destinationRule,
  gateway,
  sidecar,
  serviceRole,
  ...kubernetesKinds,
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

/** The kind of an object, by the versions of its group or another one that serves it. */
export function kindServedAs(table: readonly Kind[], apiVersion: string, name: string): Kind | undefined {
  const { group, version } = splitApiVersion(apiVersion);
  return table.find(
    (row) =>
      row.kind === name &&
      ((row.group === group && row.versions.includes(version)) || row.aliases?.includes(apiVersion)),
  );
}

/** The kind of an object; undefined when the group, the kind or the version is not one we know. */
export function kindOf(apiVersion: string, name: string): Kind | undefined {
  return kindServedAs(kinds, apiVersion, name);
}

export function kindByCollection(collection: string): Kind | undefined {
  return kinds.find((row) => row.collection === collection);
}
