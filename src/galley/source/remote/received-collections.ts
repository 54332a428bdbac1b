import type { Kind } from "../../../config/kind.ts";
import { kindsOfMixer } from "../../../config/kinds.ts";
import { meshServices, receivedServices } from "../../../config/mesh/mesh-service.ts";
import { type McpCollection, mcpCollections } from "../../../mcp/collections.ts";

export interface Receiving {
  /** Whether sinks may request anything, as with a Galley between two others, which forwards everything. */
  readonly forwards: boolean;
}

/**
 * The collections to request from a Galley, for these kinds. Kubernetes' own objects are not requested: Galley has
 * already made services, gateways and routes of them. Services have two forms; the synthetic entries have less
 * information and are only a fallback. Mixer's kinds are requested only for forwarding. With them, the requests of a
 * start exceed the burst of 100 that Galley 1.3.6 answers. It takes one second for each further request.
 */
export function receivedCollections(kinds: readonly Kind[], { forwards }: Receiving): readonly McpCollection[] {
  const wanted = new Set(forwards ? kinds : kinds.filter((kind) => !kindsOfMixer.includes(kind)));
  return mcpCollections.filter((collection) => {
    const { name, kind } = collection;
    return wanted.has(kind) && (name === meshServices || (kind.builtIn !== true && !isFallback(collection)));
  });
}

/** The collection to request instead of one that a Galley lacks. For services, these are the synthetic entries. */
export function fallbackFor(name: string): McpCollection | undefined {
  return name === meshServices ? mcpCollections.find(isFallback) : undefined;
}

export function isFallback({ group, name }: McpCollection): boolean {
  return group === "syntheticServiceEntry" && name !== meshServices;
}

/** The source collection that a wire collection fills. */
export function filledBy({ name, kind }: McpCollection): string {
  return name === meshServices ? receivedServices : kind.collection;
}
