import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { errorFrom } from "../../lib/errors.ts";
import { scanFields } from "../../xds/wire/wire-format.ts";
import { allTypes } from "./all-types.ts";
import { withoutSecrets } from "./without-secrets.ts";

function jsonOptions() {
  return { registry: allTypes(), useProtoFieldName: true };
}

/** The resource inside a `resources` entry of a response. An undecodable resource is shown as bytes. */
export function resourceJson(entry: Uint8Array): JsonValue {
  const bytes = resourceBytes(entry);
  try {
    return toJson(AnySchema, fromBinary(AnySchema, bytes), jsonOptions());
  } catch (thrown) {
    return { unreadable: errorFrom(thrown).message, bytes: Buffer.from(bytes).toString("base64") };
  }
}

/** The same without secrets. An undecodable resource might hold secrets, so it is not shown. */
export function publicJson(entry: Uint8Array): JsonValue {
  try {
    return toJson(AnySchema, withoutSecrets(fromBinary(AnySchema, resourceBytes(entry)), allTypes()), jsonOptions());
  } catch (thrown) {
    return { unreadable: errorFrom(thrown).message };
  }
}

/** The same as a message. */
export function publicAny(entry: Uint8Array): Any {
  try {
    return withoutSecrets(fromBinary(AnySchema, resourceBytes(entry)), allTypes());
  } catch (thrown) {
    return anyPack(StringValueSchema, { $typeName: StringValueSchema.typeName, value: errorFrom(thrown).message });
  }
}

/** The encoded Any in a `resources` entry. */
export function resourceBytes(entry: Uint8Array): Uint8Array {
  let any = entry;
  scanFields(entry, (_field, start, end) => {
    any = entry.subarray(start, end);
  });
  return any;
}
