import { assert } from "../lib/assert.ts";
import type { SupervisedClock } from "../lib/supervisor.ts";
import type { Cancel } from "../lib/time/clock.ts";

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** More timers in a row for one moment than any test has: time would never go on. */
const endless = 100_000;

/** Time that passes only when a test says so. Starts at 0. A timer that throws does so in the test's hands. */
export class FakeClock implements SupervisedClock {
  readonly part = "test";
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
    let atOnce = 0;
    for (let timer = this.#next(until); timer !== undefined; timer = this.#next(until)) {
      this.#timers.delete(timer);
      atOnce = timer.dueAt > this.#now ? 0 : atOnce + 1;
      assert(atOnce < endless, "no timer sets itself again and again for the same moment");
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
