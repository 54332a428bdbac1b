import { MeshError } from "../errors.ts";
import { type ByteLimit, ByteStore } from "./byte-store.ts";
import { overLimit } from "./limit.ts";

export interface JsonLimit extends ByteLimit {
  /** Values cost memory by their number: `[],[],…` becomes twenty times its bytes. */
  readonly maxValues: number;
}

const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * All that a stream brings, counted while it comes: as soon as it is more than the limit this throws `limit-exceeded`,
 * and leaving the loop ends the stream. Of compressed answers the stream must be what comes out of the decompression.
 */
export async function readBounded(chunks: AsyncIterable<Uint8Array>, limit: ByteLimit): Promise<Buffer> {
  const store = new ByteStore(limit);
  for await (const chunk of chunks) store.add(chunk);
  return store.take();
}

/** The same, parsed. Throws `peer-protocol` for what is no JSON. */
export async function readJson(chunks: AsyncIterable<Uint8Array>, limit: JsonLimit): Promise<unknown> {
  return parseBounded(await readBounded(chunks, limit), limit);
}

/** Commas and brackets in texts are counted, too: limits are far above what real documents have of them. */
function parseBounded(bytes: Buffer, { what, maxValues }: JsonLimit): unknown {
  let values = 1;
  for (const byte of bytes) if (byte === comma || byte === openBracket || byte === openBrace) values += 1;
  if (values > maxValues) throw overLimit(what, maxValues, "values", values);
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch (cause) {
    throw new MeshError("peer-protocol", `${what} is cut off, or no JSON`, { cause });
  }
}

/** The body of a `fetch`, decompressed as it comes; nothing where there is none. */
export async function* bodyOf({ body }: Pick<Response, "body">): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}
