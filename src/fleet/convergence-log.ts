import { type Quantiles, quantilesOf } from "./quantiles.ts";
import type { PooledResource } from "./resource-pool.ts";
import type { FleetResourceType } from "./fleet-resource-type.ts";

/** How one version of a resource spread through the fleet, from the first proxy on. */
export interface Convergence {
  readonly type: FleetResourceType;
  readonly name: string;
  /** The delay of the other proxies after the first one. */
  readonly spreadMs: Quantiles;
}

interface Change {
  readonly resource: PooledResource;
  readonly firstAt: number;
  readonly spread: number[];
}

/** The limit of remembered changes, so that a fleet can run for days. */
const remembered = 1_000;

/** Every new version of a resource, by its content, and when proxies in sync received it. */
export class ConvergenceLog {
  readonly #changes = new Map<string, Change>();

  note(resource: PooledResource, now: number): void {
    const key = `${resource.type} ${resource.name} ${resource.content}`;
    const known = this.#changes.get(key);
    if (known !== undefined) {
      known.spread.push(now - known.firstAt);
      return;
    }
    this.#changes.set(key, { resource, firstAt: now, spread: [0] });
    if (this.#changes.size > remembered)
      for (const oldest of this.#changes.keys().take(1)) this.#changes.delete(oldest);
  }

  get convergence(): readonly Convergence[] {
    return Array.from(this.#changes.values(), ({ resource: { type, name }, spread }) => ({
      type,
      name,
      spreadMs: quantilesOf(spread),
    }));
  }
}
