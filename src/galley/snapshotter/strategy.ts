import type { Clock } from "../../lib/clock.ts";
import { Debouncer } from "../../lib/debouncer.ts";

/** When a change becomes a snapshot. */
export interface Strategy {
  /** Something changed: `publish` is called now or later, once for any number of changes. It never throws. */
  onChange(publish: () => void): void;
  /** Forgets what is pending. A later change starts anew. */
  stop(): void;
}

/** At once: for consumers that coalesce by themselves, or fetch incrementally. */
export function immediate(): Strategy {
  return { onChange: (publish) => publish(), stop: () => {} };
}

export interface DebounceOptions {
  readonly clock: Clock;
  /** How long nothing may change before a snapshot is taken. */
  readonly quietMs?: number;
  /** The longest a change may wait when others keep coming. */
  readonly maxWaitMs?: number;
}

/** After a pause, so that a burst of changes leaves as one snapshot. The defaults are Galley's. */
export function debounce({ clock, quietMs = 500, maxWaitMs = 1000 }: DebounceOptions): Strategy {
  let publishLatest: (() => void) | undefined;
  const debouncer = new Debouncer({
    clock,
    quietMs,
    maxWaitMs,
    run: () => publishLatest?.(),
    onError: (error) => {
      throw error;
    },
  });
  return {
    onChange(publish) {
      publishLatest = publish;
      debouncer.trigger();
    },
    stop: () => debouncer.cancel(),
  };
}
