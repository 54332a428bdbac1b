import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff, type BackoffOptions } from "../../lib/time/backoff.ts";
import { Pauses } from "../../lib/time/pauses.ts";

export interface RepeatedWatchOptions {
  readonly clock: SupervisedClock;
  /** Watches until the watch ends or the signal aborts. Calls `changed` after each change, and when it begins. */
  readonly watch: (changed: () => void, signal: AbortSignal) => Promise<void>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  readonly pauses?: BackoffOptions;
}

export interface RepeatedWatch {
  stop(): void;
  /** Resolves after it was stopped, when the last watch has ended. */
  readonly ended: Promise<void>;
}

const usualPauses = { firstMs: 250, lastMs: 30_000 };

/** Watches again whenever a watch has ended, until it is stopped. */
export function repeatedWatch(options: RepeatedWatchOptions): RepeatedWatch {
  const { clock, watch, onChange, onError, pauses = usualPauses } = options;
  const run = new AbortController();
  const waits = new Pauses(clock, run.signal);
  const backoff = new Backoff(pauses);
  const report = (thrown: unknown) => {
    if (!run.signal.aborted) onError(thrown);
  };
  const changed = () => {
    backoff.reset();
    if (!run.signal.aborted) onChange();
  };
  const repeat = async () => {
    while (!run.signal.aborted) {
      await watch(changed, run.signal).catch(report);
      await waits.wait(backoff.next());
    }
  };
  return { stop: () => run.abort(), ended: repeat().catch(report) };
}
