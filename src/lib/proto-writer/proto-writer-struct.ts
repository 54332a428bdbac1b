import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { sortedKeys } from "../sorted-keys.ts";
import type { BackwardBuffer } from "./proto-writer-buffer.ts";

/** Tags of `google.protobuf.Struct`, its map entries, `Value` and `ListValue`: number << 3 | wire type. */
const tag = { entry: 0x0a, key: 0x0a, value: 0x12, item: 0x0a } as const;
const valueTag = { null: 0x08, number: 0x11, string: 0x1a, bool: 0x20, struct: 0x2a, list: 0x32 } as const;

/** Writes a plain object as the content of a `google.protobuf.Struct`. Keys are sorted, so equal objects give equal bytes. */
export function writeStruct(out: BackwardBuffer, object: JsonObject): void {
  const keys = sortedKeys(object);
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] ?? "";
    const entry = out.length;
    writeValue(out, object[key] ?? null);
    out.delimit(tag.value, entry);
    out.string(key);
    out.varint(tag.key);
    out.delimit(tag.entry, entry);
  }
}

function writeValue(out: BackwardBuffer, value: JsonValue): void {
  if (typeof value === "string") {
    out.string(value);
    out.varint(valueTag.string);
  } else if (typeof value === "number") {
    out.double(value);
    out.varint(valueTag.number);
  } else if (typeof value === "boolean") {
    out.varint(value ? 1 : 0);
    out.varint(valueTag.bool);
  } else {
    writeCompound(out, value);
  }
}

function writeCompound(out: BackwardBuffer, value: JsonObject | JsonValue[] | null): void {
  const mark = out.length;
  if (value === null) {
    out.varint(0);
    out.varint(valueTag.null);
  } else if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) {
      const item = out.length;
      writeValue(out, value[i] ?? null);
      out.delimit(tag.item, item);
    }
    out.delimit(valueTag.list, mark);
  } else {
    writeStruct(out, value);
    out.delimit(valueTag.struct, mark);
  }
}
