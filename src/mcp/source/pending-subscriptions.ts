import type { Cancel, Clock } from "../../lib/time/clock.ts";
import type { RequestBudget } from "./request-budget.ts";
import type { SinkRequest } from "./sink-request.ts";

export interface PendingSubscriptionsOptions {
  readonly clock: Clock;
  readonly budget: RequestBudget;
  /** The identity whose budget is used. */
  readonly identity: string;
  /** The most collections that may wait. */
  readonly capacity: number;
  /** Receives a subscription whose wait is over. */
  readonly admit: (request: SinkRequest) => void;
}

interface Waiting {
  request: SinkRequest;
  readonly cancel: Cancel;
}

/** The subscriptions of one stream that wait for their identity's budget: the newest one per collection. */
export class PendingSubscriptions {
  readonly #options: PendingSubscriptionsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: PendingSubscriptionsOptions) {
    this.#options = options;
  }

  /** `admitted`: `admit` was called already. `waits`: it is called later. `full`: it is never called. */
  enter(request: SinkRequest): "admitted" | "waits" | "full" {
    const { clock, budget, identity, capacity, admit } = this.#options;
    const { collection } = request;
    const earlier = this.#waiting.get(collection);
    if (earlier !== undefined) {
      earlier.request = request;
      return "waits";
    }
    const waitMs = budget.takeOne(identity);
    if (waitMs === 0) {
      admit(request);
      return "admitted";
    }
    if (this.#waiting.size >= capacity) return "full";
    this.#waiting.set(collection, { request, cancel: clock.after(waitMs, () => this.#leave(collection)) });
    return "waits";
  }

  /** Admits nothing any more. */
  clear(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #leave(collection: string): void {
    const waiting = this.#waiting.get(collection);
    this.#waiting.delete(collection);
    if (waiting !== undefined) this.#options.admit(waiting.request);
  }
}
