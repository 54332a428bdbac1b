import type { PooledResource, ResourcePool } from "./resource-pool.ts";
import { perType, type FleetResourceType } from "./fleet-resource-type.ts";
import type { StreamMode, DiscoveryResponse } from "./response.ts";

/** The effect of one response on the resources of a proxy. */
export interface ResourceChanges {
  readonly added: readonly PooledResource[];
  /** Resources whose bytes differ from before. */
  readonly changed: readonly PooledResource[];
  readonly removed: readonly PooledResource[];
}

export function isNothing({ added, changed, removed }: ResourceChanges): boolean {
  return added.length + changed.length + removed.length === 0;
}

/** The resources of one proxy, and the names that they refer to. */
export class HeldResources {
  readonly #pool: ResourcePool;
  readonly #held = perType(() => new Map<string, PooledResource>());
  /** Cache of {@link named}. A change of a referring resource clears it. */
  readonly #named = new Map<"endpoints" | "routes" | "clusters", ReadonlySet<string>>();

  constructor(pool: ResourcePool) {
    this.#pool = pool;
  }

  of(type: FleetResourceType): ReadonlyMap<string, PooledResource> {
    return this.#held[type];
  }

  /** The names that resources refer to: load assignments of clusters, routes of listeners, clusters of routes. */
  named(what: "endpoints" | "routes" | "clusters"): ReadonlySet<string> {
    const known = this.#named.get(what);
    if (known !== undefined) return known;
    const names = new Set(this.#namesOf(what));
    this.#named.set(what, names);
    return names;
  }

  /** Applies a response. */
  apply({ type, resources, removed }: DiscoveryResponse, mode: StreamMode): ResourceChanges {
    const listed = mode === "sotw" && (type === "CDS" || type === "LDS");
    const added: PooledResource[] = [];
    const changed: PooledResource[] = [];
    for (const resource of resources) {
      const before = this.#put(resource);
      if (before === undefined) added.push(resource);
      else if (before !== resource) changed.push(resource);
    }
    const gone = listed ? this.#unlisted(type, resources) : removed;
    return this.#clearNames(type, { added, changed, removed: this.#drop(type, gone) });
  }

  /** Drops all resources of a type except these. */
  keepOnly(type: FleetResourceType, names: ReadonlySet<string>): void {
    const others = Array.from(this.#held[type].keys()).filter((name) => !names.has(name));
    this.#clearNames(type, { added: [], changed: [], removed: this.#drop(type, others) });
  }

  /** Returns the resource that had the name before. */
  #put(resource: PooledResource): PooledResource | undefined {
    const held = this.#held[resource.type];
    const before = held.get(resource.name);
    if (before === resource) return before;
    this.#pool.hold(resource);
    if (before !== undefined) this.#pool.release(before);
    held.set(resource.name, resource);
    return before;
  }

  #drop(type: FleetResourceType, names: readonly string[]): readonly PooledResource[] {
    const held = this.#held[type];
    const dropped = names.flatMap((name) => held.get(name) ?? []);
    for (const resource of dropped) {
      held.delete(resource.name);
      this.#pool.release(resource);
    }
    return dropped;
  }

  #unlisted(type: FleetResourceType, resources: readonly PooledResource[]): readonly string[] {
    const listed = new Set(resources.map(({ name }) => name));
    return Array.from(this.#held[type].keys()).filter((name) => !listed.has(name));
  }

  #clearNames(type: FleetResourceType, changes: ResourceChanges): ResourceChanges {
    if (isNothing(changes)) return changes;
    if (type === "CDS") this.#named.delete("endpoints");
    if (type === "LDS") this.#named.delete("routes");
    if (type === "RDS") this.#named.delete("clusters");
    return changes;
  }

  #namesOf(what: "endpoints" | "routes" | "clusters"): Iterable<string> {
    if (what === "routes") return this.#held.LDS.values().flatMap(({ routes }) => routes);
    if (what === "clusters") return this.#held.RDS.values().flatMap(({ clusters }) => clusters);
    return this.#held.CDS.values().flatMap(({ endpoints }) => (endpoints === undefined ? [] : [endpoints]));
  }
}
