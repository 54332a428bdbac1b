/**
 * One xDS resource, encoded once. A rebuilt resource with equal bytes stays the old object, so all later steps treat
 * identity as "unchanged".
 */
export interface Resource {
  readonly name: string;
  /** Differs whenever `entry` differs. A hash is stable across restarts and replicas. */
  readonly version: string;
  /** The complete `resources` entry of a DiscoveryResponse: tag, length, Any. Immutable. */
  readonly entry: Uint8Array;
  /** The ids of the inputs of this resource, sorted. Only its source interprets them. */
  readonly owners: readonly string[];
  /** The owner of single parts of this resource, by the name of the part. Absent if no part has one of its own. */
  readonly partOwners?: Readonly<Record<string, string>>;
  /** The owners of single virtual hosts of a route configuration, by the name of the host. */
  readonly hostOwners?: ReadonlyMap<string, readonly string[]>;
  /** The ClusterLoadAssignment that Envoy needs before it finishes warming this cluster. */
  readonly warmedBy?: string;
}
