import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { hash64 } from "../lib/hash.ts";
import { type ResourceFacts, readResourceFacts } from "./resource-facts.ts";
import { perType, type FleetResourceType } from "./fleet-resource-type.ts";

/** One version of a resource, shared by all proxies that hold it. Equal identity implies equal bytes. */
export interface PooledResource extends ResourceFacts {
  readonly type: FleetResourceType;
  /** The server's version of the resource. Empty in SotW, which has no version per resource. */
  readonly version: string;
  /** The hash of the content, equal in SotW and delta. */
  readonly content: bigint;
  /** The hash of the received bytes: its key in the pool. */
  readonly key: bigint;
}

/** The encoding of a resource in a response: a bare `Any`, or delta's envelope of name, version and `Any`. */
export type EntryForm = "any" | "envelope";

interface Pooled {
  readonly resource: PooledResource;
  holders: number;
}

/**
 * Every resource in the fleet, decoded once for all proxies. So a thousand proxies fit into one process. Entries are
 * found by the hash of their bytes.
 */
export class ResourcePool {
  readonly #pooled = perType(() => new Map<bigint, Pooled>());

  /** Decodes the resource, or finds it in the pool. Throws when it cannot be decoded. */
  read(type: FleetResourceType, form: EntryForm, bytes: Uint8Array): PooledResource {
    const key = hash64(bytes);
    const known = this.#pooled[type].get(key);
    if (known !== undefined) return known.resource;
    const { version, value } = form === "any" ? { version: "", value: valueOf(bytes) } : openEnvelope(bytes);
    const resource = { ...readResourceFacts(type, value), type, version, content: hash64(value), key };
    this.#pooled[type].set(key, { resource, holders: 0 });
    return resource;
  }

  hold({ type, key }: PooledResource): void {
    const pooled = this.#pooled[type].get(key);
    if (pooled !== undefined) pooled.holders++;
  }

  /** Drops a resource when no proxy holds it any more. */
  release({ type, key }: PooledResource): void {
    const pooled = this.#pooled[type].get(key);
    if (pooled === undefined) return;
    pooled.holders--;
    if (pooled.holders <= 0) this.#pooled[type].delete(key);
  }
}

/** `google.protobuf.Any`: the type's URL is 1, the value 2. */
function valueOf(any: Uint8Array): Uint8Array {
  let value: Uint8Array = new Uint8Array();
  eachField(any, (field, reader) => {
    if (field === 2) value = reader.bytes();
    else return false;
    return true;
  });
  return value;
}

/** `envoy.service.discovery.v3.Resource`: the version is 1, the `Any` 2. */
function openEnvelope(envelope: Uint8Array): { readonly version: string; readonly value: Uint8Array } {
  let version = "";
  let value: Uint8Array = new Uint8Array();
  eachField(envelope, (field, reader) => {
    if (field === 1) version = reader.string();
    else if (field === 2) value = valueOf(reader.bytes());
    else return false;
    return true;
  });
  return { version, value };
}

/** Visits the length-delimited fields of a message; those that `take` leaves are skipped. */
export function eachField(bytes: Uint8Array, take: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited || !take(field, reader)) reader.skip(wireType, field);
  }
}
