import type { Clock } from "../lib/time/clock.ts";

/** A frame of HTTP/2. The least that a reader must take within its deadline. */
const leastBytes = 16 * 1024;
/**
 * Node keeps, per TLS connection and for good, a buffer as large as the most that was ever written to it at once:
 * without a limit, a push of a megabyte to a thousand proxies would stay a gigabyte. Larger slices are hardly cheaper.
 */
const mostBytes = 256 * 1024;
/** A slice takes a small part of the deadline: a reader may become this much slower before it misses one. */
const deadlineShare = 32;

/**
 * How many bytes leave at a time: few to a slow reader, so that its progress is seen within its deadline, and many to a
 * quick one, which costs a third of the work.
 */
export class SliceSize {
  readonly #clock: Clock;
  readonly #longMs: number;
  #bytes = leastBytes;
  #startedAt = 0;

  /** `deadlineMs` is 0 where nobody looks for progress. */
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
