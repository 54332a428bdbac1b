import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Led } from "../lease/leader-election.ts";
import { type RepeatedWatch, repeatedWatch } from "../../shared-document/repeated-watch.ts";
import { WorkQueue } from "../work-queue.ts";

export interface ReconcilerOptions {
  readonly clock: SupervisedClock;
  /** Resolves when the watch has ended, for whatever reason. */
  readonly watch: (onChange: () => void, signal: AbortSignal) => Promise<void>;
  /** Compares what is there with what should be there, and mends it. Resolves with the time until the next look. */
  readonly reconcile: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

/** A watch may miss something. */
export const resyncMs = 60_000;

const paceMs = 100;
const pauses = { firstMs: 1_000, lastMs: resyncMs };

/** There is one thing to do. */
const all = "all";

/** Reconciles while it is started: at once, after each change that a watch reports, and from time to time. */
export class Reconciler implements Led {
  readonly #options: ReconcilerOptions;
  readonly #queue: WorkQueue;
  #watch: RepeatedWatch | undefined;
  #cancelLook: Cancel = () => undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { clock, onError } = options;
    const work = () => this.#reconcile();
    this.#queue = new WorkQueue({ clock, paceMs, work, onFailure: (_, error) => onError(error) });
  }

  start(): void {
    const { watch, clock, onError } = this.#options;
    this.#queue.start();
    this.#watch = repeatedWatch({
      clock,
      watch: (changed, signal) => {
        // Something may have changed before the watch.
        this.look();
        return watch(changed, signal);
      },
      onChange: () => this.look(),
      onError,
      pauses,
    });
    this.look();
  }

  async stop(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    watch?.stop();
    await Promise.all([watch?.ended, this.#queue.stop()]);
    this.#cancelLook();
  }

  /** Something may have changed. */
  look(): void {
    if (this.#watch !== undefined) this.#queue.add(all);
  }

  async #reconcile(): Promise<void> {
    const pauseMs = await this.#options.reconcile();
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(pauseMs, () => this.look());
  }
}
