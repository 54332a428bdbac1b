/** Node's native encoder writes longer strings. Up to this length its call costs more than our loop. */
const shortString = 40;

/**
 * Protobuf primitives, written from the last byte to the first. A length prefix precedes its content, so a backward
 * writer knows the length when it gets there. That takes one pass, without size calculation and without moving bytes.
 * Callers therefore write fields, list items and the parts of a field in reverse.
 */
export class BackwardBuffer {
  #bytes: Buffer<ArrayBuffer>;
  /** The bytes written so far lie between here and the end. */
  #start: number;

  /** @param capacity initial size; the buffer grows as needed and keeps its size for the next message */
  constructor(capacity = 16 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#start = capacity;
  }

  /** Number of bytes written. Read it before and after writing a part to get the size of that part. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Discards everything, including the rest of a failed message. */
  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** A copy of the written bytes, because the next message reuses the buffer. */
  toBytes(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(this.#start));
  }

  /** An unsigned integer below 2^32: a tag, a length, a value. */
  varint(value: number): void {
    if (value < 0x80) {
      const at = this.#reserve(1);
      this.#bytes[at] = value;
      return;
    }
    const size = value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  /** An unsigned integer below 2^64. */
  varint64(value: bigint): void {
    if (value < 0x1_0000_0000n) {
      this.varint(Number(value));
      return;
    }
    this.varint64(value >> 28n);
    const low = Number(value & 0xfff_ffffn);
    const at = this.#reserve(4);
    for (let i = 0; i < 4; i++) this.#bytes[at + i] = ((low >>> (7 * i)) & 0x7f) | 0x80;
  }

  fixed32(value: number): void {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32LE(value, at);
  }

  fixed64(value: bigint): void {
    const at = this.#reserve(8);
    this.#bytes.writeBigUInt64LE(value, at);
  }

  float(value: number): void {
    const at = this.#reserve(4);
    this.#bytes.writeFloatLE(value, at);
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  /** Bytes without a length. */
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Bytes after their length. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  /** Text in UTF-8 after its length. */
  string(text: string): void {
    if (text.length > shortString || !this.#ascii(text)) {
      const size = Buffer.byteLength(text);
      const at = this.#reserve(size);
      this.#bytes.write(text, at, size);
      this.varint(size);
    } else {
      this.varint(text.length);
    }
  }

  /** Closes a length-delimited field whose content began at `mark` (an earlier {@link length}). */
  delimit(tag: number, mark: number): void {
    this.varint(this.length - mark);
    this.varint(tag);
  }

  /** Writes the text if it is ASCII; else writes nothing. */
  #ascii(text: string): boolean {
    const { length } = text;
    const start = this.#reserve(length);
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) {
        this.#start = start + length;
        return false;
      }
      bytes[start + i] = unit;
    }
    return true;
  }

  /**
   * Reserves room before the written bytes and returns its start. May replace `#bytes`: call it before reading
   * `#bytes`.
   */
  #reserve(size: number): number {
    if (size > this.#start) this.#grow(size);
    this.#start -= size;
    return this.#start;
  }

  #grow(size: number): void {
    const written = this.#bytes.subarray(this.#start);
    const larger = Buffer.allocUnsafeSlow(2 * (written.length + size));
    larger.set(written, larger.length - written.length);
    this.#start = larger.length - written.length;
    this.#bytes = larger;
  }
}
