import { MeshError } from "../errors.ts";
import { type ByteLimit, ByteStore } from "./byte-store.ts";
import { overLimit } from "./limit.ts";

export interface JsonLimit extends ByteLimit {
  /** The number of values costs memory: `[],[],…` takes twenty times its bytes. */
  readonly maxValues: number;
}

const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Reads a whole stream and counts its bytes on the way. Above the limit it throws `limit-exceeded`, and leaving the
 * loop ends the stream. For a compressed response, pass the decompressed stream.
 */
export async function readBounded(chunks: AsyncIterable<Uint8Array>, limit: ByteLimit): Promise<Buffer> {
  const store = new ByteStore(limit);
  for await (const chunk of chunks) store.add(chunk);
  return store.take();
}

/** Reads a whole stream as JSON. Throws `peer-protocol` for invalid JSON. */
export async function readJson(chunks: AsyncIterable<Uint8Array>, limit: JsonLimit): Promise<unknown> {
  return parseBounded(await readBounded(chunks, limit), limit);
}

/** Counts commas and brackets within strings, too. The limits are far above the numbers in real documents. */
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

/** The decompressed body of a `fetch` response as a stream; empty if there is no body. */
export async function* bodyOf({ body }: Pick<Response, "body">): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}
