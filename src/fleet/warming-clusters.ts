import type { HeldResources, ResourceChanges } from "./held-resources.ts";
import type { DiscoveryResponse } from "./response.ts";

/**
 * Clusters that an Envoy warms until their endpoints arrive, after the response with the cluster. Traffic continues to
 * the old version of a changed cluster. A new cluster is not usable yet.
 */
export class WarmingClusters {
  readonly #resources: HeldResources;
  readonly #warming = new Map<string, "new" | "changed">();

  constructor(resources: HeldResources) {
    this.#resources = resources;
  }

  get size(): number {
    return this.#warming.size;
  }

  /** Whether requests can be sent to the cluster. */
  usable(cluster: string): boolean {
    return this.#resources.of("CDS").has(cluster) && this.#warming.get(cluster) !== "new";
  }

  /** Whether this response has endpoints that a warming cluster needs. */
  awaits({ type, resources }: DiscoveryResponse): boolean {
    if (type !== "EDS" || this.#warming.size === 0) return false;
    const awaited = new Set(this.#warming.keys().map((cluster) => this.#endpointsOf(cluster)));
    return resources.some(({ name }) => awaited.has(name));
  }

  applied({ type, resources }: DiscoveryResponse, { added, changed, removed }: ResourceChanges): void {
    if (type === "EDS") return this.#endpointsArrived(new Set(resources.map(({ name }) => name)));
    if (type !== "CDS") return;
    for (const { name } of removed) this.#warming.delete(name);
    for (const { name, endpoints } of added) if (endpoints !== undefined) this.#warming.set(name, "new");
    for (const { name, endpoints } of changed) {
      if (endpoints === undefined) this.#warming.delete(name);
      else if (!this.#warming.has(name)) this.#warming.set(name, "changed");
    }
  }

  #endpointsArrived(names: ReadonlySet<string>): void {
    for (const cluster of this.#warming.keys()) {
      if (names.has(this.#endpointsOf(cluster))) this.#warming.delete(cluster);
    }
  }

  #endpointsOf(cluster: string): string {
    return this.#resources.of("CDS").get(cluster)?.endpoints ?? "";
  }
}
