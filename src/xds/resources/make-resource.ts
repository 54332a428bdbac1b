import { hashText } from "../../lib/hash.ts";
import { entryOf } from "../wire/entry.ts";
import type { Resource } from "./resource.ts";

/** A resource as its source has it. */
export interface PlainResource {
  readonly typeUrl: string;
  readonly name: string;
  /** The encoded message. */
  readonly value: Uint8Array;
  /** A hash of the content unless given. */
  readonly version?: string;
  /** For a cluster that takes its endpoints over EDS: the name it takes them by. */
  readonly warmedBy?: string;
}

/** Encodes a resource, once for all clients. */
export function makeResource({ typeUrl, name, value, version, warmedBy }: PlainResource): Resource {
  const entry = entryOf(typeUrl, value);
  return { name, version: version ?? hashText(entry), entry, owners: [], ...(warmedBy !== undefined && { warmedBy }) };
}
