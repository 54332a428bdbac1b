/** Universal types of ASN.1, by the byte that begins their elements. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** An element of DER. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Reads the elements of DER one after the other. It is as strict as BoringSSL: lengths have their shortest form. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** The content of the next element; undefined if it has another tag or cannot be read. Then nothing is consumed. */
  read(tag: number): Uint8Array | undefined {
    return this.#bytes[this.#position] === tag ? this.next()?.content : undefined;
  }

  /** The next element; undefined if there is none or it cannot be read. */
  next(): DerElement | undefined {
    const start = this.#position;
    const [tag, first] = [this.#bytes[start], this.#bytes[start + 1]];
    // Types with numbers over 30 take more bytes. No type of certificates has one. Number 0 is reserved.
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || (tag & 0xdf) === 0) return undefined;
    const count = first < 0x80 ? 0 : first & 0x7f;
    if (first === 0x80 || count > 4) return undefined;
    const content = start + 2 + count;
    const length =
      count === 0 ? first : this.#bytes.subarray(start + 2, content).reduce((sum, byte) => sum * 256 + byte, 0);
    if (count > 0 && length < Math.max(0x80, 256 ** (count - 1))) return undefined;
    if (content + length > this.#bytes.length) return undefined;
    this.#position = content + length;
    return { tag, content: this.#bytes.subarray(content, content + length) };
  }
}

/** Whether the whole content consists of elements of this tag that pass the check. */
export function everyElement(content: Uint8Array, tag: number, check: (content: Uint8Array) => boolean): boolean {
  const reader = new DerReader(content);
  while (!reader.isAtEnd) {
    const element = reader.read(tag);
    if (element === undefined || !check(element)) return false;
  }
  return true;
}
