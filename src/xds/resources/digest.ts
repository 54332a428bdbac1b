import { hash64 } from "../../lib/hash.ts";
import { oncePer } from "../../lib/memo.ts";
import { digestOfRun } from "../../lib/run-sum.ts";
import { textLength, WireWriter } from "../wire/wire-format.ts";
import type { Resource } from "./resource.ts";

/** Digest of a resource's name and version: sums of it are versions of sets, equal in every process. */
export const digestOf = oncePer((resource: Resource) => hash64(versionEntry(resource)));

/**
 * Digest of a resource's name and version for comparisons with what clients hold. The sum of digests does not depend on
 * order. So the server compares a client's list with its own without decoding any name.
 */
export const heldDigestOf = oncePer((resource: Resource) => digestOfRun(versionEntry(resource)));

/** Encoded like an entry of `initial_resource_versions`. */
function versionEntry({ name, version }: Resource): Uint8Array {
  return new WireWriter(textLength(name) + textLength(version)).text(1, name).text(2, version).bytes;
}
