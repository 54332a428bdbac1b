import { clone, type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { type Any, AnySchema, DurationSchema } from "@bufbuild/protobuf/wkt";

type Fields = Record<string, unknown>;

/** The treatment of lists: the patch's items come after the others, or instead of them. */
export type ListMerge = "append" | "replace";

/**
 * Merges `source` into `target`, which changes, with the rules of protobuf: values that are set win, messages merge,
 * maps merge by key, and lists grow. A number 0, an empty text and `false` do not count as set, not even in a wrapper
 * such as `BoolValue`. Two messages are replaced whole: a Duration, and an Any.
 */
export function mergeMessage(desc: DescMessage, target: Message, source: Message, lists: ListMerge = "append"): void {
  for (const field of desc.fields) {
    if (!isFieldSet(source, field)) continue;
    write(target, field, merged(field, read(target, field), read(source, field), lists));
  }
}

function merged(field: DescField, target: unknown, source: unknown, lists: ListMerge): unknown {
  switch (field.fieldKind) {
    case "list": {
      const items = (source as readonly unknown[]).map((item) => copyOf(field.message, item));
      return lists === "replace" ? items : [...((target ?? []) as readonly unknown[]), ...items];
    }
    case "map": {
      const entries = Object.entries(source as Fields).map(([key, value]) => [key, copyOf(field.message, value)]);
      return { ...(target as Fields), ...Object.fromEntries(entries) };
    }
    case "message":
      return mergedMessages(field.message, target, source, lists);
    case "enum":
    case "scalar":
    default:
      return source;
  }
}

function mergedMessages(desc: DescMessage, target: unknown, source: unknown, lists: ListMerge): unknown {
  if (target === undefined) return copyOf(desc, source);
  if (desc.typeName === AnySchema.typeName) return mergedAny(target as Any, source as Any);
  // Wrappers and Structs are plain values here.
  if (!isMessage(source)) return mergedPlain(target, source);
  if (desc.typeName === DurationSchema.typeName) return copyOf(desc, source);
  mergeMessage(desc, target as Message, source, lists);
  return target;
}

/** An empty message of the same type changes nothing, as in protobuf. */
function mergedAny(target: Any, source: Any): Any {
  return target.typeUrl === source.typeUrl && source.value.length === 0 ? target : clone(AnySchema, source);
}

/** The value of a wrapper wins unless it is 0, empty or false. A Struct merges by key. */
function mergedPlain(target: unknown, source: unknown): unknown {
  if (source instanceof Uint8Array) return source.length === 0 ? target : source;
  if (typeof source !== "object" || source === null) return isZero(source) ? target : source;
  return { ...(target as Fields), ...structuredClone(source) };
}

function isZero(value: unknown): boolean {
  return value === false || value === "" || value === 0 || value === 0n;
}

/** A copy, so that no patched resource shares a message with the patch. */
function copyOf(desc: DescMessage | undefined, value: unknown): unknown {
  if (desc !== undefined && isMessage(value)) return clone(desc, value);
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}

function read(message: Message, field: DescField): unknown {
  const fields = message as unknown as Fields;
  if (field.oneof === undefined) return fields[field.localName];
  const chosen = fields[field.oneof.localName] as { case: string | undefined; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}

function write(message: Message, field: DescField, value: unknown): void {
  const fields = message as unknown as Fields;
  if (field.oneof === undefined) fields[field.localName] = value;
  else fields[field.oneof.localName] = { case: field.localName, value };
}
