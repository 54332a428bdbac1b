import type { SupervisedClock } from "../../../lib/supervisor.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Outcome } from "./otlp-client.ts";

export interface ExportQueueOptions<Item> {
  readonly clock: SupervisedClock;
  readonly capacity: number;
  readonly batch: number;
  readonly attempts: number;
  /** How long the first item of a batch waits for others. */
  readonly delayMs: number;
  /** How many an item counts for. */
  readonly weightOf: (item: Item) => number;
  /** Never throws. */
  readonly send: (items: readonly Item[]) => Promise<Outcome>;
  readonly onSent: (count: number) => void;
  /** Items that no collector will get. */
  readonly onDropped: (count: number) => void;
  /** The collector gave this outcome. */
  readonly onOutcome: (outcome: Outcome) => void;
}

const pauses = { firstMs: 1_000, lastMs: 30_000 };

/**
 * Items on their way to a collector: bounded, one request at a time, with growing pauses after failures. `add` never
 * waits. A full queue drops the new items.
 */
export class ExportQueue<Item> {
  readonly #options: ExportQueueOptions<Item>;
  readonly #backoff = new Backoff(pauses);
  #items: readonly Item[] = [];
  #attempts = 0;
  #sending: Promise<void> | undefined;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(options: ExportQueueOptions<Item>) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#items.length;
  }

  add(items: readonly Item[]): void {
    const { capacity, delayMs, onDropped } = this.#options;
    const room = this.#stopped ? 0 : capacity - this.#items.length;
    const taken = items.slice(0, Math.max(0, room));
    if (taken.length < items.length) onDropped(this.#weigh(items.slice(taken.length)));
    if (taken.length === 0) return;
    this.#items = [...this.#items, ...taken];
    if (this.#sending === undefined) this.#sendAfter(delayMs);
  }

  /** Sends the rest, one attempt each, and takes nothing more. The caller bounds the time. */
  async flush(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#sending;
    while (this.#items.length > 0) {
      const { type } = await this.#sendBatch();
      if (type === "unavailable") break;
    }
    this.#drop(this.#items.length);
  }

  #sendAfter(ms: number): void {
    this.#cancel ??= this.#options.clock.after(ms, () => {
      this.#cancel = undefined;
      this.#sending = this.#sendOne();
    });
  }

  async #sendOne(): Promise<void> {
    const outcome = await this.#sendBatch();
    this.#sending = undefined;
    if (this.#items.length === 0 || this.#stopped) return;
    const { delayMs } = this.#options;
    this.#sendAfter(outcome.type === "unavailable" ? this.#backoff.next(outcome.afterMs) : delayMs);
  }

  async #sendBatch(): Promise<Outcome> {
    const { batch, attempts, send, onSent, onDropped, onOutcome } = this.#options;
    const items = this.#items.slice(0, batch);
    this.#attempts++;
    const outcome = await send(items);
    onOutcome(outcome);
    if (outcome.type === "unavailable") {
      if (this.#attempts >= attempts) this.#drop(items.length);
      return outcome;
    }
    this.#backoff.reset();
    this.#attempts = 0;
    this.#items = this.#items.slice(items.length);
    const weight = this.#weigh(items);
    const rejected = outcome.type === "refused" ? weight : Math.min(outcome.rejected, weight);
    if (rejected > 0) onDropped(rejected);
    if (rejected < weight) onSent(weight - rejected);
    return outcome;
  }

  #drop(count: number): void {
    if (count === 0) return;
    const weight = this.#weigh(this.#items.slice(0, count));
    this.#items = this.#items.slice(count);
    this.#attempts = 0;
    this.#options.onDropped(weight);
  }

  #weigh(items: readonly Item[]): number {
    return items.reduce((sum, item) => sum + this.#options.weightOf(item), 0);
  }
}
