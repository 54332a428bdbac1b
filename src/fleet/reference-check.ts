import type { HeldResources, ResourceChanges } from "./held-resources.ts";
import type { PooledResource } from "./resource-pool.ts";
import { typesNamingClusters } from "./fleet-resource-type.ts";

/** A reference that is unresolved for longer than this is a configuration error, not a matter of message order. */
const configuredMs = 5_000;

interface Broken {
  readonly referrer: PooledResource;
  readonly cluster: string;
  readonly since: number;
}

/**
 * Checks after each message that every named cluster exists. A reference that is unresolved for a moment is a server
 * error: requests fail until the next message. A reference that stays unresolved is a configuration error.
 */
export class ReferenceCheck {
  readonly #resources: HeldResources;
  readonly #usable: (cluster: string) => boolean;
  readonly #onBroken: (sentence: string) => void;
  readonly #broken = new Map<string, Broken>();

  /** `usable`: the proxy holds the cluster, and it is warm. */
  constructor(resources: HeldResources, usable: (cluster: string) => boolean, onBroken: (sentence: string) => void) {
    this.#resources = resources;
    this.#usable = usable;
    this.#onBroken = onBroken;
  }

  /** Unresolved references now. */
  get dangling(): number {
    return this.#broken.size;
  }

  /** A message was applied at this time. `mayRemove`: clusters may be removed although a resource names them. */
  applied(
    { added, changed, removed }: ResourceChanges,
    now: number,
    { mayRemove }: { readonly mayRemove: boolean },
  ): void {
    this.#recheck(now);
    for (const resource of [...added, ...changed]) {
      if (typesNamingClusters.includes(resource.type)) this.#check(resource, now);
    }
    if (mayRemove) return;
    const gone = new Set(removed.filter(({ type }) => type === "CDS").map(({ name }) => name));
    if (gone.size === 0) return;
    for (const referrer of this.#referrers()) this.#check(referrer, now, gone);
  }

  #check(referrer: PooledResource, now: number, among?: ReadonlySet<string>): void {
    for (const cluster of referrer.clusters) {
      if (among?.has(cluster) === false || this.#usable(cluster)) continue;
      const key = `${referrer.type} ${referrer.name} ${cluster}`;
      if (!this.#broken.has(key)) this.#broken.set(key, { referrer, cluster, since: now });
    }
  }

  /** References that are resolved now were broken for a while. The cluster came, or the reference went. */
  #recheck(now: number): void {
    for (const [key, { referrer, cluster, since }] of this.#broken) {
      const named = this.#resources.of(referrer.type).get(referrer.name)?.clusters.includes(cluster) === true;
      if (named && !this.#usable(cluster)) continue;
      this.#broken.delete(key);
      if (now - since > configuredMs) continue;
      const how = named ? "came before" : "outlived";
      this.#onBroken(`${referrer.type} ${referrer.name} ${how} cluster ${cluster}`);
    }
  }

  *#referrers(): Iterable<PooledResource> {
    for (const type of typesNamingClusters) yield* this.#resources.of(type).values();
  }
}
