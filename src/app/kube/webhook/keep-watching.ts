import type { SupervisedClock } from "../../../lib/supervisor.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import { Pauses } from "../../../lib/time/pauses.ts";

export interface WatchingOptions {
  /** Resolves when the watch has ended, for whatever reason. */
  readonly watch: (onChange: () => void, signal: AbortSignal) => Promise<void>;
  readonly clock: SupervisedClock;
  /** Called after a change, and when a watch may have missed one. */
  readonly look: () => void;
  readonly onError: (error: unknown) => void;
  readonly longestPauseMs: number;
}

/** Watches until the signal. A watch that ended is opened again after a pause, and counts as a change. */
export async function keepWatching(options: WatchingOptions, signal: AbortSignal): Promise<void> {
  const { watch, clock, look, onError, longestPauseMs } = options;
  const pauses = new Pauses(clock, signal);
  const backoff = new Backoff({ firstMs: 1_000, lastMs: longestPauseMs });
  const seen = () => {
    backoff.reset();
    look();
  };
  while (!signal.aborted) {
    try {
      await watch(seen, signal);
    } catch (thrown) {
      if (!signal.aborted) onError(thrown);
    }
    await pauses.wait(backoff.next());
    look();
  }
}
