/** Bytes that a field of each wire type has behind its tag, where that is fixed. */
const fixedBytes: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
]);
const varint = 0;
const lengthDelimited = 2;

/**
 * How many fields a protobuf message has at its top, without decoding them: a list of empty ones is two bytes each on the
 * wire, and a hundred in memory. Stops counting above `most`, and at what is no message: decoding says what is wrong.
 */
export function countFields(bytes: Uint8Array, most: number): number {
  let fields = 0;
  for (let at = 0; at < bytes.length && fields <= most; fields += 1) {
    const wireType = (bytes[at] ?? 0) & 7;
    at = afterVarint(bytes, at);
    if (wireType === varint) at = afterVarint(bytes, at);
    else if (wireType === lengthDelimited) at = afterVarint(bytes, at) + lengthAt(bytes, at);
    else at += fixedBytes.get(wireType) ?? 0;
  }
  return fields;
}

function afterVarint(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

/** Lengths have at most 32 bits. */
function lengthAt(bytes: Uint8Array, start: number): number {
  let length = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[start + index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  return length;
}
