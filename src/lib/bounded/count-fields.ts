/** Size of a field after its tag, per wire type with a fixed size. */
const fixedBytes: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
]);
const varint = 0;
const lengthDelimited = 2;

/**
 * Counts the top-level fields of a protobuf message without decoding them. An empty list item takes two bytes on the
 * wire but a hundred in memory. Stops counting above `most`, and at bytes that are not a message: decoding reports that
 * error.
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
