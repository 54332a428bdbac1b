import type { Holdings, Taken } from "./holdings.ts";
import type { Resource } from "./resource-pool.ts";
import { clusterReferrers } from "./resource-type.ts";

/** A reference that leads nowhere for longer than this is how the configuration is, not the order of messages. */
const configuredMs = 5_000;

interface Broken {
  readonly referrer: Resource;
  readonly cluster: string;
  readonly since: number;
}

/**
 * Watches, message by message, that whatever names a cluster finds it. A reference that leads nowhere for a moment is a
 * mistake of the server: requests fail until the next message. One that stays so is a mistake of the configuration.
 */
export class ReferenceCheck {
  readonly #holdings: Holdings;
  readonly #usable: (cluster: string) => boolean;
  readonly #onBroken: (sentence: string) => void;
  readonly #broken = new Map<string, Broken>();

  /** `usable`: the proxy holds the cluster, and it is warm. */
  constructor(holdings: Holdings, usable: (cluster: string) => boolean, onBroken: (sentence: string) => void) {
    this.#holdings = holdings;
    this.#usable = usable;
    this.#onBroken = onBroken;
  }

  /** References that lead nowhere now. */
  get dangling(): number {
    return this.#broken.size;
  }

  /** A message was taken in at this time. `mayRemove`: clusters may go although something names them. */
  taken({ added, changed, removed }: Taken, now: number, { mayRemove }: { readonly mayRemove: boolean }): void {
    this.#recheck(now);
    for (const resource of [...added, ...changed]) {
      if (clusterReferrers.includes(resource.type)) this.#check(resource, now);
    }
    if (mayRemove) return;
    const gone = new Set(removed.filter(({ type }) => type === "CDS").map(({ name }) => name));
    if (gone.size === 0) return;
    for (const referrer of this.#referrers()) this.#check(referrer, now, gone);
  }

  #check(referrer: Resource, now: number, among?: ReadonlySet<string>): void {
    for (const cluster of referrer.clusters) {
      if (among?.has(cluster) === false || this.#usable(cluster)) continue;
      const key = `${referrer.type} ${referrer.name} ${cluster}`;
      if (!this.#broken.has(key)) this.#broken.set(key, { referrer, cluster, since: now });
    }
  }

  /** Those that have become whole, by the cluster or by what named it, were broken for a while. */
  #recheck(now: number): void {
    for (const [key, { referrer, cluster, since }] of this.#broken) {
      const named = this.#holdings.of(referrer.type).get(referrer.name)?.clusters.includes(cluster) === true;
      if (named && !this.#usable(cluster)) continue;
      this.#broken.delete(key);
      if (now - since > configuredMs) continue;
      const how = named ? "came before" : "outlived";
      this.#onBroken(`${referrer.type} ${referrer.name} ${how} cluster ${cluster}`);
    }
  }

  *#referrers(): Iterable<Resource> {
    for (const type of clusterReferrers) yield* this.#holdings.of(type).values();
  }
}
