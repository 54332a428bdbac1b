import type { JsonObject } from "@bufbuild/protobuf";
import { TypedStructSchema } from "#gen/udpa/type/v1/typed_struct_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";

/** An encoded Any around a message that only the proxy has the description of: its type, and its content as JSON. */
export function typedStruct(typeName: string, value: JsonObject, writer: ProtoWriter): Uint8Array {
  return writer.any(TypedStructSchema, { typeUrl: `type.googleapis.com/${typeName}`, value });
}
