/**
 * One xDS resource, encoded once. Whoever rebuilds a resource keeps the old object when the bytes are equal, so
 * identity means "unchanged" in everything that follows.
 */
export interface Resource {
  readonly name: string;
  /** Differs whenever `entry` does. A hash of it is stable across restarts and replicas. */
  readonly version: string;
  /** The complete `resources` entry of a DiscoveryResponse: tag, length, Any. Never changed after it was made. */
  readonly entry: Uint8Array;
  /** What this resource was made of, sorted: ids that mean something to its source. */
  readonly owners: readonly string[];
  /** The ClusterLoadAssignment that Envoy waits for before it takes this cluster into use. */
  readonly warmedBy?: string;
}
