import { errorFrom } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { SegmentStore } from "./segment-store.ts";
import type { SegmentText } from "./segmented-log.ts";

export interface SteadyAppendOptions {
  readonly store: Pick<SegmentStore, "append">;
  readonly clock: SupervisedClock;
  readonly logger: Logger;
}

/** A failed write is tried again after these pauses. */
const pauses = { firstMs: 1_000, lastMs: 30_000 };

/** Adds to a store that may take nothing for a while. It says once why. */
export class SteadyAppend {
  readonly #options: SteadyAppendOptions;
  readonly #backoff = new Backoff(pauses);
  #isStopped = false;
  /** Ends the pause after a failed write. */
  #wake: () => void = () => undefined;
  /** The reason why the store takes nothing. It is logged once. */
  #trouble: string | undefined;

  constructor(options: SteadyAppendOptions) {
    this.#options = options;
  }

  /** Whether the store takes nothing. */
  get isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  /** Adds the text, however often that fails. Rejects if it fails after the stop. */
  async append({ name, text }: SegmentText): Promise<void> {
    await this.repeat(() => this.#options.store.append(name, text));
  }

  /** Uses the store, however often that fails. Rejects if it fails after the stop. */
  async repeat(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        break;
      } catch (thrown) {
        if (this.#isStopped) throw thrown;
        this.failed(thrown);
        await this.#pause();
      }
    }
    this.#backoff.reset();
    if (this.#trouble !== undefined) this.#options.logger.info({}, "history is written again");
    this.#trouble = undefined;
  }

  failed(thrown: unknown): void {
    const reason = errorFrom(thrown).message;
    if (reason !== this.#trouble) this.#options.logger.warn({ reason }, "history is not written");
    this.#trouble = reason;
  }

  /** From now on each write is tried once. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(this.#backoff.next(), resolve);
    this.#wake = resolve;
    await promise;
    cancel();
  }
}
