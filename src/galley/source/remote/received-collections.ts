import type { Kind } from "../../../config/kind.ts";
import { kindsOfMixer } from "../../../config/kinds.ts";
import { meshServices, receivedServices } from "../../../config/mesh/mesh-service.ts";
import { type McpCollection, mcpCollections } from "../../../mcp/collections.ts";

export interface Receiving {
  /** Whether there are sinks that may ask for anything: a Galley between two others hands everything on. */
  readonly forwards: boolean;
}

/**
 * What a Galley is asked for, of these kinds. Kubernetes' own objects stay with it: it has made services, gateways and
 * routes of them already. Of services it has two forms; the synthetic entries say less, and only stand in. Mixer's kinds
 * are asked for only to be forwarded: with them, the requests of a start exceed the 100 that Galley 1.3.6 answers at
 * once, and it takes one second for each of the others.
 */
export function receivedCollections(kinds: readonly Kind[], { forwards }: Receiving): readonly McpCollection[] {
  const wanted = new Set(forwards ? kinds : kinds.filter((kind) => !kindsOfMixer.includes(kind)));
  return mcpCollections.filter((collection) => {
    const { name, kind } = collection;
    return wanted.has(kind) && (name === meshServices || (kind.builtIn !== true && !isStandIn(collection)));
  });
}

/** What is asked for instead of a collection that a Galley does not have: of services, the entries it made of them. */
export function standInFor(name: string): McpCollection | undefined {
  return name === meshServices ? mcpCollections.find(isStandIn) : undefined;
}

export function isStandIn({ group, name }: McpCollection): boolean {
  return group === "syntheticServiceEntry" && name !== meshServices;
}

/** The collection of a source that one on the wire fills. */
export function filledBy({ name, kind }: McpCollection): string {
  return name === meshServices ? receivedServices : kind.collection;
}
