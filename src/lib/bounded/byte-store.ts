import { overLimit } from "./limit.ts";

export interface ByteLimit {
  /** Name of the data for the error message: "the answer of …". */
  readonly what: string;
  readonly maxBytes: number;
}

const firstCapacity = 4096;

/**
 * Bytes in one growing buffer, up to a limit. If the other side sends single bytes, a list of chunks would cost a
 * hundred times their size.
 */
export class ByteStore {
  readonly #limit: ByteLimit;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(limit: ByteLimit) {
    this.#limit = limit;
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
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const capacity = Math.min(Math.max(needed, 2 * this.#bytes.length, firstCapacity), this.#limit.maxBytes);
    const larger = Buffer.allocUnsafe(capacity);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
