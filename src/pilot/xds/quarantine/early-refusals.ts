import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { AdoptedRefusal, Refusal } from "./refusals.ts";

/** Sources of replicas are at most so far apart. A version that arrives later is found anew. */
export const arrivalMs = 30_000;

/**
 * Another replica found the refusal, and the refused version has not arrived here yet. The version that is here is older:
 * a proxy that accepts it says nothing about the refused one.
 */
export function isAwaited({ awaited }: Refusal, current: Config | undefined, now: number): boolean {
  return awaited !== undefined && awaited.versionHere === current?.version && now < awaited.until;
}

/** Refusals of other replicas whose objects have not arrived here yet. */
export class EarlyRefusals {
  readonly #clock: Clock;
  #all: readonly AdoptedRefusal[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(refusals: readonly AdoptedRefusal[]): void {
    this.#all = [...this.#awaited(), ...refusals];
  }

  /** The refusals whose objects have arrived since the last call. */
  takeArrived(currentOf: (id: ConfigId) => Config | undefined): readonly AdoptedRefusal[] {
    if (this.#all.length === 0) return [];
    const awaited = this.#awaited();
    this.#all = awaited.filter(({ id }) => currentOf(id) === undefined);
    return awaited.filter(({ id, version }) => version !== undefined && currentOf(id)?.version === version);
  }

  #awaited(): readonly AdoptedRefusal[] {
    const now = this.#clock.now();
    return this.#all.filter(({ since }) => now < since + arrivalMs);
  }
}
