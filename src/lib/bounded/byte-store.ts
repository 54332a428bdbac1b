import type { BufferPool } from "./buffer-pool.ts";
import { overLimit } from "./limit.ts";

export interface ByteLimit {
  /** Name of the data for the error message: "the answer of …". */
  readonly what: string;
  readonly maxBytes: number;
}

const firstCapacity = 4096;
const empty = Buffer.alloc(0);

/**
 * Bytes in one growing buffer, up to a limit. If the other side sends single bytes, a list of chunks would cost a
 * hundred times their size.
 */
export class ByteStore {
  readonly #limit: ByteLimit;
  readonly #pool: BufferPool | undefined;
  #bytes: Buffer = empty;
  #length = 0;

  /** The buffers come from `pool`, if there is one, and go back to it after {@link lend}. */
  constructor(limit: ByteLimit, pool?: BufferPool) {
    this.#limit = limit;
    this.#pool = pool;
  }

  get length(): number {
    return this.#length;
  }

  /** Size of the buffer in memory, in bytes. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Throws `limit-exceeded` if the chunk would exceed the limit. */
  add(chunk: Uint8Array): void {
    const { what, maxBytes } = this.#limit;
    const length = this.#length + chunk.length;
    if (length > maxBytes) throw overLimit(what, maxBytes, "bytes", length);
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns all bytes and starts empty again. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = empty;
    this.#length = 0;
    return taken;
  }

  /** Starts empty again, and passes all bytes to `use`. They are valid only during this call. */
  lend<T>(use: (bytes: Buffer) => T): T {
    const lent = this.#bytes;
    try {
      return use(this.take());
    } finally {
      this.#pool?.give(lent);
    }
  }

  #grow(needed: number): void {
    const capacity = Math.min(Math.max(needed, 2 * this.#bytes.length, firstCapacity), this.#limit.maxBytes);
    const larger = this.#pool?.take(capacity) ?? Buffer.allocUnsafe(capacity);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#pool?.give(this.#bytes);
    this.#bytes = larger;
  }
}
