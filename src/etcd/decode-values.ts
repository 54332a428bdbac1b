import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { KeyValue } from "#gen/etcd/kv_pb.js";
import type { ResponseHeader } from "#gen/etcd/rpc_pb.js";
import { MeshError } from "../lib/errors.ts";
import type { EtcdEntry, EtcdPosition } from "./etcd-values.ts";

/** Throws `peer-protocol`. */
export function decodeAnswer<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, bytes);
  } catch (thrown) {
    throw new MeshError("peer-protocol", "etcd sent a message that cannot be read", { cause: thrown });
  }
}

/** The value is a view of the message. */
export function entryOf({ key, value, modRevision, createRevision }: KeyValue): EtcdEntry {
  return {
    key: bufferOf(key).toString(),
    value: bufferOf(value),
    revision: Number(modRevision),
    since: Number(createRevision),
  };
}

/** Throws `peer-protocol`. */
export function positionOf(header: ResponseHeader | undefined): EtcdPosition {
  if (header === undefined) throw new MeshError("peer-protocol", "etcd sent an answer without a header");
  return { cluster: `${header.clusterId}`, revision: Number(header.revision) };
}

/** The same memory. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
