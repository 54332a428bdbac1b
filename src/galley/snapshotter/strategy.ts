import type { Clock } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";

/** Decides when a change becomes a snapshot. */
export interface Strategy {
  /** Called on every change. Calls `publish` now or later, once for any number of changes. It never throws. */
  onChange(publish: () => void): void;
  /** Drops pending changes. A later change starts a new wait. */
  stop(): void;
}

/** Observes the decisions of a strategy, for metrics. */
export interface StrategyObserver {
  changed(): void;
  /** A change arrived during the quiet period, which starts again. */
  waitsAnew(): void;
  /** The wait is over: nothing changed for the quiet period, or the first change waited for the maximum time. */
  due(reason: "quiet" | "maxWait"): void;
}

const unobserved: StrategyObserver = { changed() {}, waitsAnew() {}, due() {} };

/** Publishes at once, for consumers that coalesce changes themselves or fetch deltas. */
export function immediate(observer = unobserved): Strategy {
  return {
    onChange(publish) {
      observer.changed();
      publish();
    },
    stop: () => {},
  };
}

export interface DebounceOptions {
  readonly clock: Clock;
  /** The quiet period before a snapshot. */
  readonly quietMs?: number;
  /** The longest delay of a change while further changes arrive. */
  readonly maxWaitMs?: number;
  readonly observer?: StrategyObserver;
}

/** The pending publication and its start time. */
interface Pending {
  readonly since: number;
  readonly publish: () => void;
}

/** Publishes after a quiet period, so a burst of changes becomes one snapshot. The defaults are Galley's. */
export function debounce(options: DebounceOptions): Strategy {
  const { clock, quietMs = 500, maxWaitMs = 1000, observer = unobserved } = options;
  let pending: Pending | undefined;
  const debouncer = new Debouncer({
    clock,
    quietMs,
    maxWaitMs,
    run() {
      const { since = 0, publish } = pending ?? {};
      pending = undefined;
      observer.due(clock.now() - since < maxWaitMs ? "quiet" : "maxWait");
      publish?.();
    },
  });
  return {
    onChange(publish) {
      observer.changed();
      if (pending !== undefined) observer.waitsAnew();
      pending = { since: pending?.since ?? clock.now(), publish };
      debouncer.trigger();
    },
    stop() {
      pending = undefined;
      debouncer.cancel();
    },
  };
}
