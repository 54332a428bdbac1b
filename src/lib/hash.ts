import xxhash from "xxhash-wasm";

const xxh = await xxhash();

/** xxh64 with seed 0. A string is hashed as its UTF-8 bytes, so both forms of one content agree. */
export function hash64(content: Uint8Array | string): bigint {
  return typeof content === "string" ? xxh.h64(content) : xxh.h64Raw(content);
}

/** {@link hash64} as 16 lowercase hex digits: the form of every version we show or send. */
export function hashText(content: Uint8Array | string): string {
  return hash64(content).toString(16).padStart(16, "0");
}
