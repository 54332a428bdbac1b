import { assert } from "../../lib/assert.ts";

export interface UniqueQueueOptions {
  /** The most keys in the queue. */
  readonly depth: number;
  /** Called once for every appended key. */
  readonly onReady?: () => void;
  /** Called once, when the queue is closed. */
  readonly onDone?: () => void;
}

/** A queue for status pages. The field names are those that Istio's tools of that time expect. */
export interface QueueDump {
  readonly closed: boolean;
  readonly queued_set: readonly string[];
  /** All slots of the ring, one more than the depth. Empty for an unused slot. */
  readonly queue: readonly string[];
  readonly head: number;
  readonly tail: number;
  readonly max_depth: number;
}

/**
 * A FIFO queue of keys, each at most once. The value of a key is looked up when the key leaves. A queue of
 * values would send stale ones to a slow sink.
 */
export class UniqueQueue {
  readonly #slots: string[];
  readonly #queued = new Set<string>();
  readonly #options: UniqueQueueOptions;
  #head = 0;
  #closed = false;

  constructor(options: UniqueQueueOptions) {
    assert(options.depth >= 0, "a queue has a depth");
    this.#options = options;
    this.#slots = Array.from({ length: options.depth + 1 }, () => "");
  }

  get size(): number {
    return this.#queued.size;
  }

  /** False if the queue is closed, or full of other keys. A queued key keeps its place. */
  enqueue(key: string): boolean {
    if (this.#closed) return false;
    if (this.#queued.has(key)) return true;
    if (this.#queued.size === this.#options.depth) return false;
    this.#slots[this.#tail] = key;
    this.#queued.add(key);
    this.#options.onReady?.();
    return true;
  }

  /** The key that has waited longest, if any. */
  dequeue(): string | undefined {
    if (this.#queued.size === 0) return undefined;
    const key = this.#slots[this.#head] ?? "";
    this.#slots[this.#head] = "";
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#queued.delete(key);
    return key;
  }

  /** Accepts no more keys. Queued keys may still leave. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onDone?.();
  }

  dump(): QueueDump {
    return {
      closed: this.#closed,
      queued_set: [...this.#queued].toSorted(),
      queue: [...this.#slots],
      head: this.#head,
      tail: this.#tail,
      max_depth: this.#options.depth,
    };
  }

  get #tail(): number {
    return (this.#head + this.#queued.size) % this.#slots.length;
  }
}
