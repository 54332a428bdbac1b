import type { Kind } from "./kind.ts";

export interface WatchedKindsOptions {
  /** The collections that other collections need. */
  readonly needed: ReadonlySet<string>;
  /** Kinds that the operator excludes. Unknown names are ignored. */
  readonly exclude: readonly string[];
  /** Whether services of the cluster are services of the mesh. */
  readonly serviceDiscovery: boolean;
}

/**
 * The kinds that sources watch. Only the service discovery setting decides about the kinds it needs: with half of them
 * it would publish services without endpoints. A collection that is not watched is empty and synced from the start.
 */
export function watchedKinds(
  kinds: readonly Kind[],
  { needed, exclude, serviceDiscovery }: WatchedKindsOptions,
): readonly Kind[] {
  return kinds.filter(
    ({ kind, collection, requiredForServiceDiscovery }) =>
      needed.has(collection) && (requiredForServiceDiscovery ? serviceDiscovery : !exclude.includes(kind)),
  );
}
