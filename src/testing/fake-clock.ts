import { assert } from "../lib/assert.ts";
import type { Cancel, Clock } from "../lib/time/clock.ts";

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** Time that passes only when a test says so. Starts at 0. */
export class FakeClock implements Clock {
  #now = 0;
  /** In insertion order, which decides between timers due at the same moment. */
  readonly #timers = new Set<Timer>();

  /** How many timers are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Cancel {
    const timer: Timer = { dueAt: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs what becomes due, each at its own moment, including timers that those timers set. */
  advance(ms: number): void {
    assert(ms >= 0, "time does not run backwards");
    const until = this.#now + ms;
    for (let timer = this.#next(until); timer !== undefined; timer = this.#next(until)) {
      this.#timers.delete(timer);
      this.#now = timer.dueAt;
      timer.run();
    }
    this.#now = until;
  }

  #next(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer;
    }
    return next;
  }
}
