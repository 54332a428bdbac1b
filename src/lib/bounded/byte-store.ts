import { overLimit } from "./limit.ts";

export interface ByteLimit {
  /** The thing that is read, for the error: "the answer of …". */
  readonly what: string;
  readonly maxBytes: number;
}

const firstCapacity = 4096;

/**
 * Bytes in one buffer that grows, up to a limit. A list of chunks would cost a hundred times their bytes where the other
 * side sends them one by one.
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

  /** Throws `limit-exceeded` instead of holding more than the limit. */
  add(chunk: Uint8Array): void {
    const { what, maxBytes } = this.#limit;
    const length = this.#length + chunk.length;
    if (length > maxBytes) throw overLimit(what, maxBytes, "bytes", length);
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Hands out all there is, and begins anew. */
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
