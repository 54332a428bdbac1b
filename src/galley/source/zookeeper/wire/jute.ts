import { MeshError } from "../../../../lib/errors.ts";

/**
 * Writes records of ZooKeeper's wire format, Jute: big-endian numbers, and texts and buffers with their length before
 * them. The first four bytes are the length of the whole record.
 */
export class JuteWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 4;

  int(value: number): this {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
    return this;
  }

  long(value: bigint): this {
    this.#reserve(8);
    this.#length = this.#bytes.writeBigInt64BE(value, this.#length);
    return this;
  }

  flag(value: boolean): this {
    this.#reserve(1);
    this.#length = this.#bytes.writeUInt8(value ? 1 : 0, this.#length);
    return this;
  }

  buffer(value: Uint8Array): this {
    this.int(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(value: string): this {
    return this.buffer(Buffer.from(value));
  }

  /** The record with its length. */
  finish(): Buffer {
    this.#bytes.writeInt32BE(this.#length - 4, 0);
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads records of a server, which may be wrong in any way. Throws `peer-protocol`, and never reads past the end. */
export class JuteReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get rest(): number {
    return this.#bytes.length - this.#at;
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#take(4, "a number"));
  }

  long(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8, "a number"));
  }

  flag(): boolean {
    return this.#bytes[this.#take(1, "a flag")] !== 0;
  }

  /** A buffer that is absent (length -1) counts as empty. */
  buffer(what = "data"): Buffer {
    const length = this.int();
    if (length > this.rest)
      throw new MeshError("peer-protocol", `an answer of ZooKeeper announces ${length} bytes of ${what}`);
    if (length <= 0) return this.#bytes.subarray(0, 0);
    const from = this.#take(length, what);
    return this.#bytes.subarray(from, from + length);
  }

  text(what = "text"): string {
    return this.buffer(what).toString("utf8");
  }

  texts(what: string): readonly string[] {
    const count = this.int();
    // Each text has a length of four bytes at least.
    if (count > this.rest / 4)
      throw new MeshError("peer-protocol", `an answer of ZooKeeper announces ${count} ${what}, which is out of range`);
    return Array.from({ length: Math.max(count, 0) }, () => this.text(what));
  }

  #take(length: number, what: string): number {
    const from = this.#at;
    if (length > this.rest) throw new MeshError("peer-protocol", `an answer of ZooKeeper ends within ${what}`);
    this.#at += length;
    return from;
  }
}
