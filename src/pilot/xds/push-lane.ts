import type { Clock } from "../../lib/clock.ts";
import { Debouncer } from "../../lib/debouncer.ts";
import { errorFrom } from "../../lib/errors.ts";
import { mergePushRequests, type PushRequest } from "../model/push-request.ts";

export interface PushLaneOptions {
  readonly clock: Clock;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly push: (request: PushRequest) => Promise<void>;
  readonly onError: (cause: Error) => void;
}

/** Requests on their way to a push: merged until it is time. What a push that failed carried goes with the next one. */
export class PushLane {
  readonly #options: PushLaneOptions;
  readonly #debouncer: Debouncer;
  #pending: PushRequest | undefined;

  constructor(options: PushLaneOptions) {
    this.#options = options;
    const { clock, quietMs, maxWaitMs } = options;
    const onError = (thrown: unknown) => options.onError(errorFrom(thrown));
    this.#debouncer = new Debouncer({ clock, quietMs, maxWaitMs, onError, run: () => this.#run() });
  }

  /** What the next push will carry. */
  get pending(): PushRequest | undefined {
    return this.#pending;
  }

  add(request: PushRequest): void {
    this.#pending = mergePushRequests(this.#pending, request);
    this.#debouncer.trigger();
  }

  idle(): Promise<void> {
    return this.#debouncer.idle();
  }

  cancel(): void {
    this.#debouncer.cancel();
  }

  async #run(): Promise<void> {
    const request = this.#pending;
    if (request === undefined) return;
    this.#pending = undefined;
    try {
      await this.#options.push(request);
    } catch (thrown) {
      const newer: PushRequest | undefined = this.#pending;
      this.#pending = newer === undefined ? request : mergePushRequests(request, newer);
      throw thrown;
    }
  }
}
