import { hash64 } from "../../lib/hash.ts";
import { oncePer } from "../../lib/memo.ts";
import { textLength, WireWriter } from "../wire/wire.ts";
import type { Resource } from "./resource.ts";

/**
 * Of a resource's name and version, in the form in which clients say what they hold: an entry of
 * `initial_resource_versions`. Summed up, digests of the same resources are the same in whatever order, so that a
 * client's list can be compared with ours without reading a single name.
 */
export const digestOf = oncePer(({ name, version }: Resource) => {
  const entry = new WireWriter(textLength(name) + textLength(version)).text(1, name).text(2, version);
  return hash64(entry.bytes);
});
