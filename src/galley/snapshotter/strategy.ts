import type { Clock } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";

/** When a change becomes a snapshot. */
export interface Strategy {
  /** Something changed: `publish` is called now or later, once for any number of changes. It never throws. */
  onChange(publish: () => void): void;
  /** Forgets what is pending. A later change starts anew. */
  stop(): void;
}

/** Is told what a strategy does, so that it can be counted. */
export interface StrategyObserver {
  changed(): void;
  /** A change came while another one waited for quiet. */
  waitsAnew(): void;
  /** The waiting is over: nothing changed for a while, or the first change has waited for long enough. */
  due(reason: "quiet" | "maxWait"): void;
}

const unobserved: StrategyObserver = { changed() {}, waitsAnew() {}, due() {} };

/** At once: for consumers that coalesce by themselves, or fetch incrementally. */
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
  /** How long nothing may change before a snapshot is taken. */
  readonly quietMs?: number;
  /** The longest a change may wait when others keep coming. */
  readonly maxWaitMs?: number;
  readonly observer?: StrategyObserver;
}

/** What waits to be published, and since when. */
interface Pending {
  readonly since: number;
  readonly publish: () => void;
}

/** After a pause, so that a burst of changes leaves as one snapshot. The defaults are Galley's. */
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
