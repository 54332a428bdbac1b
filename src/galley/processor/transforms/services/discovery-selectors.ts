import type { LabelSelector, MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Tracked } from "../../../../collection/collection.ts";
import type { Config } from "../../../../config/config.ts";
import { labelSelectorMatches } from "../../../../config/label-selector.ts";

/** The selectors of the namespaces whose services are part of the mesh. */
export function discoverySelectors(mesh: MeshConfig): readonly LabelSelector[] {
  return mesh.discoverySelectors;
}

/** Kubernetes gives every namespace this label. A namespace in files needs no object for it. */
const nameLabel = "kubernetes.io/metadata.name";

/** Whether the mesh has the services of the namespace: one selector is enough, and without selectors all are in. */
export function isDiscovered(name: string, selectors: readonly LabelSelector[], namespaces: Tracked<Config>): boolean {
  if (selectors.length === 0) return true;
  const labels = { [nameLabel]: name, ...namespaces.get(name)?.labels };
  return selectors.some((selector) => labelSelectorMatches(selector, labels));
}
