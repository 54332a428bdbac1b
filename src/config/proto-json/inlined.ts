import type { DescField, DescMessage } from "@bufbuild/protobuf";

/**
 * The JSON name of an inlined field in our protos. Kubernetes writes the fields of such a message beside those of its
 * parent.
 */
export const inlined = ",inline";

/** The raw value in the form of the schema, with the fields of an inlined message below it. */
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
