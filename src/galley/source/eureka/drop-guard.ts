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
  /** How long more than that have to be missed before they are believed to be gone. */
  readonly graceMs: number;
}

interface Held {
  readonly instance: EurekaInstance;
  readonly since: number;
}

/**
 * Keeps instances that vanished too many at once. A server that was started anew knows nobody until its clients, which
 * live and serve, have called it again: half a minute that must not empty a mesh. Those that the server says are gone
 * are gone; those that it only does not mention stay until they were missing for a while, in every answer.
 */
export class DropGuard {
  readonly #options: DropGuardOptions;
  readonly #held = new Map<string, Held>();
  #listed: Applications = noApplications;

  constructor(options: DropGuardOptions) {
    this.#options = options;
  }

  /** How many instances are there only because of it. */
  get held(): number {
    return this.#held.size;
  }

  /** Whether too many of those that were listed last time are not any more. */
  isDrop(listed: Applications): boolean {
    const missing = instancesOf(this.#listed).filter((instance) => !hasInstance(listed, instance));
    const before = countInstances(this.#listed);
    return before > 0 && [...missing].length / before > this.#options.maxDrop;
  }

  /** What to go on with, now that a server lists this and has said that those instances are gone. */
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
