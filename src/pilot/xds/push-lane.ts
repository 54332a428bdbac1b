import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { Debouncer, type Waits } from "../../lib/time/debouncer.ts";
import type { WorkGate } from "../../lib/overload/overload.ts";
import type { Pace } from "../../lib/overload/work.ts";
import { isUrgent, mergePushRequests, type PushRequest } from "../model/push-request.ts";
import { FairWindow } from "./fair-window.ts";

export interface PushLaneOptions extends Waits {
  readonly clock: Clock;
  /** Prolongs the waits of configuration under load. */
  readonly gate: WorkGate;
  readonly push: (request: PushRequest) => Promise<void>;
  readonly onError: (cause: Error) => void;
}

/** How many times as long configuration waits under load, so that fewer pushes carry more changes. */
const stretch: Readonly<Record<Pace, number>> = { usual: 1, slower: 10, slowest: 30, refused: 30 };
/** A push is also the way to give memory back, so no load delays it for longer. */
const longestWaitMs = 30_000;

/**
 * Requests that wait for a push, merged until the debounce ends. A failed push is retried automatically, together with
 * newer requests.
 */
export class PushLane {
  readonly #options: PushLaneOptions;
  readonly #debouncer: Debouncer;
  readonly #window = new FairWindow();
  /** Of pushes that failed. */
  readonly #backoff = new Backoff({ firstMs: 100, lastMs: 10_000 });
  #pending: PushRequest | undefined;
  #cancelRetry: Cancel | undefined;
  #caughtUp: PromiseWithResolvers<void> | undefined;
  #running = false;

  constructor(options: PushLaneOptions) {
    this.#options = options;
    const { clock, quietMs, maxWaitMs } = options;
    const onError = (thrown: unknown) => options.onError(errorFrom(thrown));
    this.#debouncer = new Debouncer({ clock, quietMs, maxWaitMs, onError, run: () => this.#run() });
  }

  /** The request of the next push. */
  get pending(): PushRequest | undefined {
    return this.#pending;
  }

  add(request: PushRequest): void {
    this.#pending = mergePushRequests(this.#pending, request);
    const waits = this.#waitsOf(request);
    if (this.#window.add(request) === "prolong") this.#debouncer.trigger(waits);
    else this.#debouncer.join(waits);
  }

  /** Resolves when no push is due or running. A failed push may still wait for its retry. */
  idle(): Promise<void> {
    return this.#debouncer.idle();
  }

  /** Resolves when everything added so far has been pushed, after any number of retries. */
  caughtUp(): Promise<void> {
    if (this.#pending === undefined && !this.#running) return Promise.resolve();
    this.#caughtUp ??= Promise.withResolvers();
    return this.#caughtUp.promise;
  }

  cancel(): void {
    this.#debouncer.cancel();
    this.#cancelRetry?.();
  }

  /** Urgent requests wait under load as they do without. */
  #waitsOf(request: PushRequest): Waits {
    const { gate, quietMs, maxWaitMs } = this.#options;
    const pace = gate.paceOf("configuration");
    if (pace === "usual" || isUrgent(request)) return { quietMs, maxWaitMs };
    gate.shed("configuration");
    const [quiet, most] = [quietMs * stretch[pace], maxWaitMs * stretch[pace]];
    return { quietMs: Math.min(quiet, longestWaitMs), maxWaitMs: Math.min(most, longestWaitMs) };
  }

  async #run(): Promise<void> {
    const request = this.#pending;
    assert(request !== undefined, "a run has something to push");
    this.#window.clear();
    this.#pending = undefined;
    this.#cancelRetry?.();
    this.#running = true;
    try {
      await this.#options.push(request);
      this.#backoff.reset();
    } catch (thrown) {
      const newer: PushRequest | undefined = this.#pending;
      this.#pending = newer === undefined ? request : mergePushRequests(request, newer);
      this.#retryLater();
      throw thrown;
    } finally {
      this.#running = false;
    }
    this.#announce();
  }

  #retryLater(): void {
    this.#cancelRetry = this.#options.clock.after(this.#backoff.next(), () => {
      this.#debouncer.trigger();
      this.#debouncer.flush();
    });
  }

  #announce(): void {
    if (this.#pending !== undefined) return;
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
  }
}
