import { type DescMessage, fromBinary, type JsonObject, toJson } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { allTypes } from "../../admin/resource/all-types.ts";
import { assert } from "../../lib/assert.ts";
import type { Resource } from "../../pilot/model/resource.ts";

/** The message in a resource as canonical JSON, every Any in it opened. */
export function decodedResource({ entry }: Resource): JsonObject {
  const reader = new BinaryReader(entry);
  reader.tag();
  const { typeUrl, value }: Any = fromBinary(AnySchema, reader.bytes());
  const schema = allTypes().getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  assert(schema !== undefined, `${typeUrl} is a type we send`);
  return decodedMessage(schema, value);
}

export function decodedMessage(schema: DescMessage, bytes: Uint8Array): JsonObject {
  const json = toJson(schema, fromBinary(schema, bytes), { registry: allTypes() });
  assert(typeof json === "object" && json !== null && !Array.isArray(json), "a message is an object");
  return json;
}
