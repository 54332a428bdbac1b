import type { Clock } from "../../../lib/time/clock.ts";
import {
  type Applications,
  countInstances,
  hasInstance,
  instancesOf,
  noApplications,
  withListing,
} from "./applications.ts";
import type { EurekaInstance } from "./eureka-instance.ts";

export interface DropGuardOptions {
  readonly clock: Clock;
  /** The share of all instances that may vanish from one answer to the next, from 0 to 1. */
  readonly maxDrop: number;
  /** How long a larger drop must last before the instances count as gone. */
  readonly graceMs: number;
}

interface Held {
  readonly instance: EurekaInstance;
  readonly since: number;
}

/**
 * Keeps instances when too many vanish at once. A restarted server has no instances until its clients register again.
 * This takes half a minute and must not empty the mesh. Instances that the server reports as deleted are removed.
 * Instances that are only missing stay until they are missing from every answer for a while.
 */
export class DropGuard {
  readonly #options: DropGuardOptions;
  readonly #held = new Map<string, Held>();
  #listed: Applications = noApplications;

  constructor(options: DropGuardOptions) {
    this.#options = options;
  }

  /** The number of instances that only this guard keeps. */
  get held(): number {
    return this.#held.size;
  }

  /** Whether too many of the previously listed instances are missing. */
  isDrop(listed: Applications): boolean {
    const missing = instancesOf(this.#listed).filter((instance) => !hasInstance(listed, instance));
    const before = countInstances(this.#listed);
    return before > 0 && [...missing].length / before > this.#options.maxDrop;
  }

  /** The applications to use, given the current listing and the instances reported as deleted. */
  admit(listed: Applications, gone: readonly EurekaInstance[]): Applications {
    const now = this.#options.clock.now();
    for (const [key, { instance, since }] of this.#held) {
      if (hasInstance(listed, instance) || now - since >= this.#options.graceMs) this.#held.delete(key);
    }
    if (this.isDrop(listed)) {
      for (const instance of instancesOf(this.#listed)) {
        if (!hasInstance(listed, instance)) this.#held.set(keyOf(instance), { instance, since: now });
      }
    }
    for (const instance of gone) this.#held.delete(keyOf(instance));
    this.#listed = listed;
    const kept = Array.from(this.#held.values(), ({ instance }) => ({ instance, gone: false }));
    return kept.length === 0 ? listed : withListing(listed, { hashcode: undefined, listed: kept, issues: new Map() });
  }
}

function keyOf({ app, id }: EurekaInstance): string {
  return `${app} ${id}`;
}
