import type { Clock } from "../lib/time/clock.ts";

/** One HTTP/2 frame. A reader must take at least this much within its deadline. */
const leastBytes = 16 * 1024;
/**
 * Node keeps a buffer per TLS connection, as large as the largest single write, and never frees it. Without a limit, a
 * push of a megabyte to a thousand proxies would keep a gigabyte. Larger slices are hardly cheaper.
 */
const mostBytes = 256 * 1024;
/** A slice takes this fraction of the deadline. A reader may become this much slower before it misses a deadline. */
const deadlineShare = 32;

/**
 * How many bytes leave at a time. A slow reader gets few, so that its progress is visible within its deadline. A fast
 * reader gets many, which costs a third of the work.
 */
export class SliceSize {
  readonly #clock: Clock;
  readonly #longMs: number;
  #bytes = leastBytes;
  #startedAt = 0;

  /** `deadlineMs` is 0 without a send deadline. */
  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.#longMs = deadlineMs === 0 ? Number.POSITIVE_INFINITY : deadlineMs / deadlineShare;
  }

  /** The size of a slice that leaves now. */
  start(): number {
    this.#startedAt = this.#clock.now();
    return this.#bytes;
  }

  /** The slice has left. */
  left(): void {
    const wasLong = this.#clock.now() - this.#startedAt > this.#longMs;
    this.#bytes = wasLong ? Math.max(leastBytes, this.#bytes / 2) : Math.min(mostBytes, this.#bytes * 2);
  }
}
