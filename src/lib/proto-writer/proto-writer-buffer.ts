/** Longer strings go through Node's native encoder; up to here its call costs more than this loop. */
const shortString = 40;

/**
 * Protobuf primitives, written from the last byte to the first. A length prefix comes before what it measures, so going
 * backwards it is known when its turn comes: one pass, no size calculation, nothing moved.
 * Whoever uses it therefore writes fields, list items and the parts of a field in reverse.
 */
export class BackwardBuffer {
  #bytes: Buffer<ArrayBuffer>;
  /** The bytes written so far lie between here and the end. */
  #start: number;

  /** @param capacity what it begins with; it grows as needed and stays as large for the next message */
  constructor(capacity = 16 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#start = capacity;
  }

  /** How much is written; take it before writing a part to learn that part's size after. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Forgets everything: also what a failed message left behind. */
  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** A copy of what is written: the buffer itself is used again for the next message. */
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

  /** Bytes as they are, without a length. */
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Bytes behind their length. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  /** Text in UTF-8 behind its length. */
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

  /** Closes a length-delimited field whose content began at `mark` (a former {@link length}). */
  delimit(tag: number, mark: number): void {
    this.varint(this.length - mark);
    this.varint(tag);
  }

  /** Writes the text if it is ASCII; else leaves no trace. */
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

  /** Makes room in front of what is written and says where it begins. May replace `#bytes`: call it before reading that. */
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
