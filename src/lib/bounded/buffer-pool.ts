/** Smaller buffers are cheap, and larger ones are seldom needed again. */
const smallest = 1 << 14;
const largest = 1 << 20;

/**
 * Buffers that are used again. A new buffer of many kilobytes costs more than to fill it, and much more to free it. The
 * sizes are powers of two, so a buffer is less than twice as large as needed.
 */
export class BufferPool {
  readonly #maxBytes: number;
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;

  /** @param maxBytes the most memory of free buffers */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The memory of the free buffers. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** A buffer of at least this size, with any content. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes);
    if (size === undefined) return Buffer.allocUnsafe(bytes);
    const free = this.#free.get(size)?.pop();
    if (free === undefined) return Buffer.allocUnsafeSlow(size);
    this.#freeBytes -= size;
    return free;
  }

  /** The buffer is no longer used. The caller must not keep it, nor a view of it. */
  give(buffer: Buffer): void {
    const { length } = buffer;
    if (sizeFor(length) !== length || this.#freeBytes + length > this.#maxBytes) return;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [buffer]);
    else free.push(buffer);
    this.#freeBytes += length;
  }
}

/** Undefined for sizes that are not kept. */
function sizeFor(bytes: number): number | undefined {
  if (bytes < smallest || bytes > largest) return undefined;
  return 2 ** Math.ceil(Math.log2(bytes));
}
