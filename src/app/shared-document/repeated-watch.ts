import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import { Pauses } from "../../lib/time/pauses.ts";

export interface RepeatedWatchOptions {
  readonly clock: SupervisedClock;
  /** Watches until the watch ends or the signal aborts. Calls `changed` after each change, and when it begins. */
  readonly watch: (changed: () => void, signal: AbortSignal) => Promise<void>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const pauses = { firstMs: 250, lastMs: 30_000 };

/** Watches again whenever a watch has ended, until it is stopped. */
export function repeatedWatch({ clock, watch, onChange, onError }: RepeatedWatchOptions): { stop(): void } {
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
  repeat().catch(report);
  return { stop: () => run.abort() };
}
