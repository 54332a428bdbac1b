import { hash64 } from "../../lib/hash.ts";
import { oncePer } from "../../lib/memo.ts";
import { textLength, WireWriter } from "../wire/wire-format.ts";
import type { Resource } from "./resource.ts";

/**
 * Digest of a resource's name and version, encoded like an entry of `initial_resource_versions`. The sum of digests
 * does not depend on order. So the server can compare a client's list with its own without decoding any name.
 */
export const digestOf = oncePer(({ name, version }: Resource) => {
  const entry = new WireWriter(textLength(name) + textLength(version)).text(1, name).text(2, version);
  return hash64(entry.bytes);
});
