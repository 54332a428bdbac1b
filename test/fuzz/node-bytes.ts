import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";

/** The node of a proxy as it travels. */
export function nodeBytesOf(id: string, metadata: JsonObject): Uint8Array {
  return toBinary(NodeSchema, create(NodeSchema, { id, metadata }));
}
