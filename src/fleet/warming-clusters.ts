import type { HeldResources, ResourceChanges } from "./held-resources.ts";
import type { DiscoveryResponse } from "./response.ts";

/** A cluster that warms, since when. */
interface WarmingCluster {
  readonly type: "new" | "changed";
  readonly since: number;
}

/** Envoy waits so long for the endpoints of a cluster: the default of `initial_fetch_timeout`. */
const patienceMs = 15_000;

/**
 * Clusters that an Envoy warms until their endpoints arrive, after the response with the cluster. Traffic continues to
 * the old version of a changed cluster. A new cluster is not usable yet.
 */
export class WarmingClusters {
  readonly #resources: HeldResources;
  readonly #warming = new Map<string, WarmingCluster>();
  readonly #now: () => number;

  constructor(resources: HeldResources, now: () => number) {
    this.#resources = resources;
    this.#now = now;
  }

  get size(): number {
    return this.#warming.size;
  }

  /** Whether requests can be sent to the cluster. */
  usable(cluster: string): boolean {
    return this.#resources.of("CDS").has(cluster) && this.#warming.get(cluster)?.type !== "new";
  }

  /** Whether this response has endpoints that a warming cluster needs. */
  awaits({ type, resources }: DiscoveryResponse): boolean {
    if (type !== "EDS" || this.#warming.size === 0) return false;
    const awaited = new Set(this.#warming.keys().map((cluster) => this.#endpointsOf(cluster)));
    return resources.some(({ name }) => awaited.has(name));
  }

  /** Waits no longer for endpoints that the server does not have. */
  stopWaiting(): void {
    const oldest = this.#now() - patienceMs;
    for (const [cluster, { since }] of this.#warming) if (since < oldest) this.#warming.delete(cluster);
  }

  applied({ type, resources }: DiscoveryResponse, { added, changed, removed }: ResourceChanges): void {
    if (type === "EDS") return this.#endpointsArrived(new Set(resources.map(({ name }) => name)));
    if (type !== "CDS") return;
    for (const { name } of removed) this.#warming.delete(name);
    for (const { name, endpoints } of added) if (endpoints !== undefined) this.#warm(name, "new");
    for (const { name, endpoints } of changed) {
      if (endpoints === undefined) this.#warming.delete(name);
      else this.#warm(name, this.#warming.get(name)?.type ?? "changed");
    }
  }

  #warm(cluster: string, type: WarmingCluster["type"]): void {
    this.#warming.set(cluster, { type, since: this.#now() });
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
