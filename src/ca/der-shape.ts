/** Limits of a DER structure. A certificate request with every common extension has about 100 elements, 8 deep. */
const maxElements = 1_000;
const maxDepth = 20;

const constructed = 0x20;
const highTag = 0x1f;

/**
 * The problem of a DER structure that a parser could not read in bounded time; undefined if there is none. The walk
 * reads headers only: one element after the other, each inside its parent. It refuses indefinite lengths, because DER
 * has none, and they hide where an element ends.
 */
export function derProblem(bytes: Uint8Array): string | undefined {
  const ends: number[] = [bytes.length];
  let position = 0;
  for (let elements = 0; ; elements++) {
    while (ends.length > 1 && position === ends.at(-1)) ends.pop();
    if (position === bytes.length) return elements === 0 ? "it is empty" : undefined;
    if (ends.length === 1 && elements > 0) return "bytes follow after its end";
    if (elements === maxElements) return `it has more than ${maxElements} elements`;
    const header = headerAt(bytes, position, ends.at(-1) ?? 0);
    if (typeof header === "string") return header;
    position = header.content;
    if (!header.isConstructed) position = header.end;
    else if (ends.push(header.end) > maxDepth) return `it is nested more than ${maxDepth} levels deep`;
  }
}

interface Header {
  readonly isConstructed: boolean;
  readonly content: number;
  readonly end: number;
}

function headerAt(bytes: Uint8Array, start: number, limit: number): Header | string {
  const tag = bytes[start] ?? 0;
  const first = bytes[start + 1];
  if ((tag & highTag) === highTag) return "it uses a tag that no certificate request uses";
  if (first === undefined || start + 2 > limit) return "it ends too early";
  if (first === 0x80) return "it has an element of indefinite length";
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4) return "it has an element that is too long";
  let length = lengthBytes === 0 ? first : 0;
  for (let index = 0; index < lengthBytes; index++) length = length * 256 + (bytes[start + 2 + index] ?? 0);
  const content = start + 2 + lengthBytes;
  if (content + length > limit) return "it ends too early";
  return { isConstructed: (tag & constructed) !== 0, content, end: content + length };
}
