/** The parts of protobuf's wire format that the hot path reads and writes by hand. */

/** The bytes are no protobuf message, or use a wire type that xDS does not use. */
export class BadMessage extends RangeError {}

type FieldVisitor = (field: number, start: number, end: number, tagStart: number) => void;

/** The end of fields that are known and need no visit, if such fields begin at this place. */
type KnownFields = (field: number, tagStart: number) => number | undefined;

/**
 * Visits every length-delimited field and skips the others, and also those that `known` names. Throws {@link BadMessage}
 * on bytes that are no message.
 */
export function scanFields(bytes: Uint8Array, visit: FieldVisitor, known?: KnownFields): void {
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tagStart = cursor.at;
    const tag = readVarint(cursor);
    const wireType = tag & 7;
    const knownEnd = known?.(tag >>> 3, tagStart);
    if (knownEnd !== undefined) cursor.at = knownEnd;
    else if (wireType === 0) readVarint(cursor);
    else if (wireType === 1) cursor.at += 8;
    else if (wireType === 5) cursor.at += 4;
    else if (wireType === 2) {
      const length = readVarint(cursor);
      const start = cursor.at;
      cursor.at += length;
      if (cursor.at <= bytes.length) visit(tag >>> 3, start, cursor.at, tagStart);
    } else throw new BadMessage(`wire type ${wireType} is not used in xDS`);
  }
  if (cursor.at > bytes.length) throw new BadMessage("truncated message");
}

function readVarint(cursor: { readonly bytes: Uint8Array; at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new BadMessage("truncated message");
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw new BadMessage("a varint has at most ten bytes");
}

/** The encoded length of a number below 2^32. No message is longer. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) length++;
  return length;
}

/** A buffer that is filled from the front. The caller computes `length` beforehand. */
export class WireWriter {
  readonly bytes: Buffer;
  #at = 0;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafe(length);
  }

  /** Writes a number below 2^32. */
  varint(value: number): this {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.bytes[this.#at++] = rest;
    return this;
  }

  /** The tag and length of a length-delimited field whose content follows elsewhere. */
  header(field: number, length: number): this {
    return this.varint(field * 8 + 2).varint(length);
  }

  text(field: number, value: string): this {
    if (value === "") return this;
    this.header(field, Buffer.byteLength(value));
    this.#at += this.bytes.write(value, this.#at);
    return this;
  }
}

/** The length that `WireWriter.text` writes, for fields below 16. */
export function textLength(value: string): number {
  if (value === "") return 0;
  const length = Buffer.byteLength(value);
  return 1 + varintLength(length) + length;
}
