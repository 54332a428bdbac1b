import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Led } from "../lease/leader-election.ts";
import { WorkQueue } from "../work-queue.ts";
import { keepWatching, type WatchingOptions } from "./keep-watching.ts";

export interface ReconcilerOptions {
  readonly clock: SupervisedClock;
  readonly watch: WatchingOptions["watch"];
  /** Compares what is there with what should be there, and mends it. Resolves with the time until the next look. */
  readonly reconcile: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

/** A watch may miss something. */
export const resyncMs = 60_000;

const paceMs = 100;

/** There is one thing to do. */
const all = "all";

/** Reconciles while it is started: at once, after each change that a watch reports, and from time to time. */
export class Reconciler implements Led {
  readonly #options: ReconcilerOptions;
  readonly #queue: WorkQueue;
  #run: AbortController | undefined;
  #watching: Promise<void> = Promise.resolve();
  #cancelLook: Cancel = () => undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { clock, onError } = options;
    const work = () => this.#reconcile();
    this.#queue = new WorkQueue({ clock, paceMs, work, onFailure: (_, error) => onError(error) });
  }

  start(): void {
    const { watch, clock, onError } = this.#options;
    const run = new AbortController();
    this.#run = run;
    this.#queue.start();
    this.look();
    const watching = { watch, clock, look: () => this.look(), onError, longestPauseMs: resyncMs };
    this.#watching = keepWatching(watching, run.signal);
  }

  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    await Promise.all([this.#watching, this.#queue.stop()]);
    this.#cancelLook();
  }

  /** Something may have changed. */
  look(): void {
    if (this.#run !== undefined) this.#queue.add(all);
  }

  async #reconcile(): Promise<void> {
    const pauseMs = await this.#options.reconcile();
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(pauseMs, () => this.look());
  }
}
