import type { DescField, DescMessage } from "@bufbuild/protobuf";

/**
 * The JSON name that a field has in our protos when Kubernetes writes the fields of its message beside those of the
 * message that holds it.
 */
export const inlined = ",inline";

/** The raw value as the schema has it, with the fields of an inlined message under that. */
export function nestInlined(
  schema: DescMessage,
  raw: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const host = inlinedField(schema);
  if (host?.message === undefined) return raw;
  const names = new Set(host.message.fields.map(({ jsonName }) => jsonName));
  const [inner, outer] = [new Map<string, unknown>(), new Map<string, unknown>()];
  for (const [key, value] of Object.entries(raw)) (names.has(key) ? inner : outer).set(key, value);
  return inner.size === 0 ? raw : { ...Object.fromEntries(outer), [inlined]: Object.fromEntries(inner) };
}

function inlinedField(schema: DescMessage): DescField | undefined {
  return schema.fields.find(({ jsonName }) => jsonName === inlined);
}
