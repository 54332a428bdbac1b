import { hashText } from "../../lib/hash.ts";
import { entryOf } from "../wire/entry.ts";
import type { Resource } from "./resource.ts";

/** A resource as its source provides it. */
export interface PlainResource {
  readonly typeUrl: string;
  readonly name: string;
  /** The encoded message. */
  readonly value: Uint8Array;
  /** Default: a hash of the content. */
  readonly version?: string;
  /** For an EDS cluster: the resource name of its endpoints. */
  readonly warmedBy?: string;
}

/** Encodes a resource, once for all clients. */
export function makeResource({ typeUrl, name, value, version, warmedBy }: PlainResource): Resource {
  const entry = entryOf(typeUrl, value);
  return { name, version: version ?? hashText(entry), entry, owners: [], ...(warmedBy !== undefined && { warmedBy }) };
}
