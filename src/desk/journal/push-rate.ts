const minuteMs = 60_000;

/** Counts pushes per minute of the clock, for the last half hour. */
export class PushRate {
  readonly #minutes: number;
  /** By minute. Older minutes are dropped. */
  readonly #counts = new Map<number, number>();

  constructor(minutes = 30) {
    this.#minutes = minutes;
  }

  add(now: number): void {
    const minute = Math.floor(now / minuteMs);
    this.#counts.set(minute, (this.#counts.get(minute) ?? 0) + 1);
    for (const old of this.#counts.keys()) if (old <= minute - this.#minutes) this.#counts.delete(old);
  }

  /** Oldest first. The last one is the current minute, which is not over. */
  perMinute(now: number): readonly number[] {
    const last = Math.floor(now / minuteMs);
    return Array.from({ length: this.#minutes }, (_, i) => this.#counts.get(last - this.#minutes + 1 + i) ?? 0);
  }
}
