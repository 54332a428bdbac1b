import { type ByteLimit, ByteStore } from "./byte-store.ts";

const newline = 0x0a;

/**
 * The non-empty lines of a stream, in one list per read. Throws `limit-exceeded` within a line that is longer than the
 * limit, before the line ends. The last line may lack its newline.
 */
export async function* boundedLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: ByteLimit,
): AsyncGenerator<readonly string[]> {
  const begun = new ByteStore(limit);
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      begun.add(chunk.subarray(start, end));
      start = end + 1;
      if (begun.length > 0) lines.push(begun.take().toString("utf8"));
    }
    begun.add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [begun.take().toString("utf8")];
}
