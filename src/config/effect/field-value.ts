import { type DescField, isFieldSet, type Message } from "@bufbuild/protobuf";

/** The value of a field in a message; undefined if the field is not set. */
export function fieldValue(message: Message, field: DescField): unknown {
  if (!isFieldSet(message, field)) return undefined;
  if (field.oneof === undefined) return Reflect.get(message, field.localName);
  const chosen = Reflect.get(message, field.oneof.localName) as { readonly value?: unknown };
  return chosen.value;
}
