import type { Kind } from "./kind.ts";

export interface Watching {
  /** The collections that something is made of. */
  readonly needed: ReadonlySet<string>;
  /** Kinds that the operator wants left out. Names that no kind has are nothing to worry about. */
  readonly exclude: readonly string[];
  /** Whether services of a cluster are services of the mesh. */
  readonly serviceDiscovery: boolean;
}

/**
 * The kinds that sources are asked for. Service discovery decides alone about the kinds it is made of: with half of
 * them it would publish services without endpoints. What is not watched is empty, and complete from the start.
 */
export function watchedKinds(kinds: readonly Kind[], { needed, exclude, serviceDiscovery }: Watching): readonly Kind[] {
  return kinds.filter(
    ({ kind, collection, requiredForServiceDiscovery }) =>
      needed.has(collection) && (requiredForServiceDiscovery ? serviceDiscovery : !exclude.includes(kind)),
  );
}
