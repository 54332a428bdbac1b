import type { Kind } from "../../../config/kind.ts";
import { meshServices, receivedServices } from "../../../config/mesh-service.ts";
import { type McpCollection, mcpCollections } from "../../../mcp/collections.ts";

/**
 * What a Galley is asked for, of these kinds. Kubernetes' own objects stay with it: it has made services, gateways and
 * routes of them already. Of services it has two forms; the synthetic entries say less.
 */
export function receivedCollections(kinds: readonly Kind[]): readonly McpCollection[] {
  const wanted = new Set(kinds);
  return mcpCollections.filter(
    ({ name, group, kind }) =>
      wanted.has(kind) && (name === meshServices || (kind.builtIn !== true && group !== "syntheticServiceEntry")),
  );
}

/** The collection of a source that one on the wire fills. */
export function filledBy({ name, kind }: McpCollection): string {
  return name === meshServices ? receivedServices : kind.collection;
}
