import type { Cancel, Clock } from "../../lib/time/clock.ts";
import type { SinkRequest } from "./request.ts";
import type { RequestBudget } from "./request-budget.ts";

export interface WaitingRoomOptions {
  readonly clock: Clock;
  readonly budget: RequestBudget;
  /** Who pays. */
  readonly identity: string;
  /** How many collections may wait at a time. */
  readonly capacity: number;
  /** Takes a subscription whose time has come. */
  readonly admit: (request: SinkRequest) => void;
}

interface Waiting {
  request: SinkRequest;
  readonly cancel: Cancel;
}

/** Where the subscriptions of one stream wait for their identity's budget: one per collection, the newest. */
export class WaitingRoom {
  readonly #options: WaitingRoomOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: WaitingRoomOptions) {
    this.#options = options;
  }

  /** `admitted` was called already; `waits` is called later; `full` is not called at all. */
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

  /** Nobody is admitted any more. */
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
