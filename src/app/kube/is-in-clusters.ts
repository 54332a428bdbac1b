import type { Kind } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { meshNetworks } from "../../config/kinds/mesh-networks.ts";

/** Whether a cluster may have objects of a kind. The settings of the mesh are files and have no kind in a cluster. */
export function isInClusters(kind: Kind): boolean {
  return kind !== meshConfig && kind !== meshNetworks;
}
