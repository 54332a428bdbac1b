import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { hashText } from "../../lib/hash.ts";
import type { Resource } from "../model/resource.ts";

interface Ingredients {
  readonly name: string;
  /** A `google.protobuf.Any` that holds the resource. */
  readonly any: Uint8Array;
  readonly owners: Iterable<ConfigId>;
  readonly warmedBy?: string;
}

/** The tag of `resources` in a DiscoveryResponse: field 2, length-delimited. */
const resourcesTag = 0x12;

export function makeResource({ name, any, owners, warmedBy }: Ingredients): Resource {
  const entry = entryOf(any);
  const resource = { name, version: hashText(entry), entry, owners: [...new Set(owners)].toSorted(compareTexts) };
  return warmedBy === undefined ? resource : { ...resource, warmedBy };
}

function entryOf(any: Uint8Array): Uint8Array {
  const header = [resourcesTag];
  let rest = any.length;
  for (; rest >= 0x80; rest >>>= 7) header.push((rest & 0x7f) | 0x80);
  header.push(rest);
  const entry = new Uint8Array(header.length + any.length);
  entry.set(header);
  entry.set(any, header.length);
  return entry;
}
