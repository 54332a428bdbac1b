import { Backoff } from "./time/backoff.ts";
import type { Cancel, Clock } from "./time/clock.ts";

export interface SupervisorOptions {
  readonly clock: Clock;
  /** Reports a failure: a log line with the stack, a counter. What it throws is dropped. */
  readonly onFailure: (part: string, error: unknown) => void;
}

/** How long a part that failed is left alone: longer each time, until it works again. */
const pauses = { firstMs: 1_000, lastMs: 60_000 };

/** A part that has failed and did not work since. */
interface Failing {
  readonly backoff: Backoff;
  readonly restsUntil: number;
}

/**
 * Runs the parts of a process that no proxy waits for: analysis, status, pages, gauges, logs. A part that throws is
 * reported and rests for a while; the others, and the caller, go on. Parts are named for a metric, so that there are
 * few of them. What a proxy is served from does not run here: when that throws, the graph may be half-made.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #failing = new Map<string, Failing>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The result; undefined when it throws, and while the part rests. */
  run<T>(part: string, work: () => T): T | undefined {
    if (this.#rests(part)) return undefined;
    try {
      const result = work();
      this.#failing.delete(part);
      return result;
    } catch (thrown) {
      this.failed(part, thrown);
      return undefined;
    }
  }

  /** The listener, which never throws and is not called while its part rests. */
  guard<Args extends readonly unknown[]>(part: string, listener: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      this.run(part, () => listener(...args));
    };
  }

  /** The observer, every method of which is guarded. It has functions alone. */
  guardAll<Observer extends object>(part: string, observer: Observer): Observer {
    const entries = Object.entries(observer).map(([name, method]) => {
      // Every property is a function that returns nothing, which is what a guarded function does.
      return [name, this.guard(part, (method as (...args: readonly unknown[]) => void).bind(observer))];
    });
    return Object.fromEntries(entries) as Observer;
  }

  /** The clock for the timers of a part: one that throws is reported. */
  clockFor(part: string): Clock {
    const { clock } = this.#options;
    return {
      now: () => clock.now(),
      after: (ms, run): Cancel => {
        return clock.after(ms, () => {
          try {
            run();
          } catch (thrown) {
            this.failed(part, thrown);
          }
        });
      },
    };
  }

  /** Reports a failure that the part has caught itself. `again` is called when the part has rested. */
  failed(part: string, error: unknown, again?: () => void): Cancel {
    const { clock, onFailure } = this.#options;
    const { backoff } = this.#failing.get(part) ?? { backoff: new Backoff(pauses) };
    const pauseMs = backoff.next();
    this.#failing.set(part, { backoff, restsUntil: clock.now() + pauseMs });
    try {
      onFailure(part, error);
    } catch {
      // The log itself may be what fails. There is nobody left to tell.
    }
    return again === undefined ? () => undefined : this.clockFor(part).after(pauseMs, again);
  }

  /** The part works: its next failure is a first one. */
  succeeded(part: string): void {
    this.#failing.delete(part);
  }

  #rests(part: string): boolean {
    return this.#options.clock.now() < (this.#failing.get(part)?.restsUntil ?? 0);
  }
}
