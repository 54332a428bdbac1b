import type { View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";

/** All collections of one group at one instant: immutable and consistent. */
export interface Snapshot {
  readonly group: SnapshotGroup;
  /** By output collection, such as `istio/networking/v1alpha3/gateways`. */
  readonly collections: ReadonlyMap<string, View<Config>>;
  /** A hash of the collection's content: equal content has equal versions, also across restarts and replicas. */
  version(collection: string): string;
  /** The content of the collection, sorted by key. Empty for a collection outside the group. */
  resources(collection: string): readonly Config[];
}
