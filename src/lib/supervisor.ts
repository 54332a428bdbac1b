import { Backoff } from "./time/backoff.ts";
import type { Cancel, Clock } from "./time/clock.ts";

export interface SupervisorOptions {
  readonly clock: Clock;
  /** Reports a failure: a log line with the stack and the facts, and a counter. Errors that it throws are dropped. */
  readonly onFailure: (part: string, error: unknown, facts: object) => void;
}

/** The clock of a part. A timer that throws is reported and stops nothing. Only a supervisor creates one. */
export interface SupervisedClock extends Clock {
  readonly part: string;
}

/** Reports a failure that a part has caught itself, with facts for the log line. It never throws. */
export type ReportFailure = (error: unknown, facts?: object) => void;

export interface FailureDetails {
  /** Facts for the log line, such as the page or the file. */
  readonly facts?: object;
  /** Called after the pause of the part, to catch up with missed calls. */
  readonly again?: () => void;
}

/** The pause of a part after a failure. It grows with each failure, until the part works again. */
const pauses = { firstMs: 1_000, lastMs: 60_000 };

/** A part that has failed and has not worked since. */
interface Failing {
  readonly backoff: Backoff;
  readonly restsUntil: number;
  readonly error: unknown;
}

/** A failing part, for people. */
export interface FailingPart {
  readonly part: string;
  readonly error: unknown;
}

/**
 * Runs the parts of a process that no proxy waits for: analysis, status, pages, gauges, logs. If a part throws, the
 * supervisor reports the error and pauses that part. The other parts and the caller continue. During the pause the part
 * gets no calls. A listener with state must therefore record the state first, where nothing can throw, and then report
 * it under the supervisor. The type `Part` lists the names: they are labels of a metric, and a test injects a failure
 * into each. Code that serves proxies does not run here: if it throws, the graph may be incomplete.
 */
export class Supervisor<Part extends string = string> {
  readonly #options: SupervisorOptions;
  readonly #failing = new Map<string, Failing>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The parts that have failed and have not worked since. */
  get failing(): readonly FailingPart[] {
    return Array.from(this.#failing, ([part, { error }]) => ({ part, error }));
  }

  /** The result of `work`; undefined if `work` throws or the part is paused. */
  run<T>(part: Part, work: () => T, details?: FailureDetails): T | undefined {
    if (this.#rests(part)) return undefined;
    try {
      const result = work();
      this.#failing.delete(part);
      return result;
    } catch (thrown) {
      this.failed(part, thrown, details);
      return undefined;
    }
  }

  /** A listener that never throws. It is not called while its part is paused. */
  guard<Args extends readonly unknown[]>(
    part: Part,
    listener: (...args: Args) => void,
    details?: FailureDetails,
  ): (...args: Args) => void {
    return (...args) => {
      this.run(part, () => listener(...args), details);
    };
  }

  /** An observer with every method guarded. All of its properties must be functions. */
  guardAll<Observer extends object>(part: Part, observer: Observer): Observer {
    const entries = Object.entries(observer).map(([name, method]) => {
      // Every property is a function that returns nothing, and so is a guarded function.
      return [name, this.guard(part, (method as (...args: readonly unknown[]) => void).bind(observer))];
    });
    return Object.fromEntries(entries) as Observer;
  }

  /** The clock for the timers of a part. A timer that throws is reported. */
  clockFor(part: Part): SupervisedClock {
    const { clock } = this.#options;
    return {
      part,
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

  /** Reports a failure that the part has caught itself. The result cancels `again`. */
  failed(part: Part, error: unknown, { facts = {}, again }: FailureDetails = {}): Cancel {
    const { clock, onFailure } = this.#options;
    const { backoff } = this.#failing.get(part) ?? { backoff: new Backoff(pauses) };
    const pauseMs = backoff.next();
    this.#failing.set(part, { backoff, restsUntil: clock.now() + pauseMs, error });
    try {
      onFailure(part, error, facts);
    } catch {
      // The log itself may be the failing part, so the error cannot be reported.
    }
    return again === undefined ? () => undefined : this.clockFor(part).after(pauseMs, again);
  }

  /** `failed` as a callback, for a part that catches its failures itself. */
  reporterFor(part: Part): ReportFailure {
    return (error, facts = {}) => {
      this.failed(part, error, { facts });
    };
  }

  /** The part works: its next failure starts with the first pause. */
  succeeded(part: Part): void {
    this.#failing.delete(part);
  }

  #rests(part: Part): boolean {
    return this.#options.clock.now() < (this.#failing.get(part)?.restsUntil ?? 0);
  }
}
