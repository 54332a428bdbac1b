import { hashText } from "../lib/hash.ts";

/** How deep fields are told apart: in a route configuration, single routes. */
const deepest = 2;
/** Shorter fields are not looked into. */
const leastBytes = 24;

/**
 * Hashes of the fields of a protobuf message, by their paths, without knowing its type: `3:0.2:4` is the fifth value of
 * field 2 in the first value of field 3. They name the field that differs without containing anything of it.
 */
export function fieldHashes(message: Uint8Array): Readonly<Record<string, string>> {
  const hashes: Record<string, string> = {};
  collect(message, "", hashes, 1);
  return hashes;
}

function collect(message: Uint8Array, path: string, hashes: Record<string, string>, depth: number): void {
  const indexes = new Map<number, number>();
  for (const { field, value, isMessage } of fieldsOf(message) ?? []) {
    const index = indexes.get(field) ?? 0;
    indexes.set(field, index + 1);
    const own = `${path}${field}:${index}`;
    if (depth < deepest && isMessage && value.length >= leastBytes && fieldsOf(value) !== undefined) {
      collect(value, `${own}.`, hashes, depth + 1);
    } else hashes[own] = hashText(value).slice(0, 8);
  }
}

interface Field {
  readonly field: number;
  readonly value: Uint8Array;
  /** Whether it may be a message: bytes and texts look the same. */
  readonly isMessage: boolean;
}

/** Undefined if the bytes are no message. */
function fieldsOf(bytes: Uint8Array): readonly Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) return Number.NaN;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag % 8;
    const field = Math.floor(tag / 8);
    let start = at;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else if (wireType === 2) {
      const length = varint();
      start = at;
      at += length;
    } else return undefined;
    if (!(field >= 1) || !(at <= bytes.length)) return undefined;
    fields.push({ field, value: bytes.subarray(start, at), isMessage: wireType === 2 });
  }
  return fields;
}
