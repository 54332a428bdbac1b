import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** A field of a kind, with the fields on its path. */
export interface SchemaField {
  /** As in `servers[].tls.mode`: `[]` follows a list, `{}` a map. */
  readonly path: string;
  /** From the outermost to the field itself. */
  readonly fields: readonly DescField[];
  /** Whether its values have fields themselves. */
  readonly hasFields: boolean;
}

/** Every field of a message and of its nested messages, parents first. Does not enter a recursive message again. */
export function* schemaFields(desc: DescMessage): Generator<SchemaField> {
  yield* fieldsOf(desc, [], new Set([desc.typeName]));
}

function* fieldsOf(
  desc: DescMessage,
  outer: readonly DescField[],
  entered: ReadonlySet<string>,
): Generator<SchemaField> {
  for (const field of desc.fields) {
    const fields = [...outer, field];
    const inner = messageWithin(field);
    const hasFields = inner !== undefined && inner.fields.length > 0 && !entered.has(inner.typeName);
    yield { path: fields.map(fieldStep).join("."), fields, hasFields };
    if (hasFields) yield* fieldsOf(inner, fields, new Set([...entered, inner.typeName]));
  }
}

/** The message type of a field's values. Undefined for scalars, and for messages that users write as scalars. */
export function messageWithin({ message }: DescField): DescMessage | undefined {
  return message === undefined || message.typeName.startsWith("google.protobuf.") ? undefined : message;
}

/** One step of a path. */
function fieldStep({ jsonName, fieldKind }: DescField): string {
  if (fieldKind === "list") return `${jsonName}[]`;
  return fieldKind === "map" ? `${jsonName}{}` : jsonName;
}
