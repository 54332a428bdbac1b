import xxhash from "xxhash-wasm";

const xxh = await xxhash();

/** xxh64 with seed 0. A string is hashed as its UTF-8 bytes, so both forms of one content agree. */
export function hash64(content: Uint8Array | string): bigint {
  return typeof content === "string" ? xxh.h64(content) : xxh.h64Raw(content);
}

/** {@link hash64} as text: the format of every version that we show or send. */
export function hashText(content: Uint8Array | string): string {
  return hex64(hash64(content));
}

/** 16 lowercase hex digits. */
export function hex64(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}
