import { type DescEnum, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { inlined } from "../../config/proto-json/inlined.ts";

/**
 * Random values of any message type, as people write them in YAML. They are canonical and omit default values, so that
 * reading and writing one returns it unchanged.
 */
export function rawArbitrary(desc: DescMessage, depth = 4): fc.Arbitrary<JsonValue> {
  const own = wellKnown[desc.typeName];
  if (own !== undefined) return own;
  if (isWrapperDesc(desc)) return scalarArbitrary(desc.fields[0].scalar);
  const fields = desc.fields.filter((field) => isWritten(field) && (depth > 0 || field.message === undefined));
  return fc
    .subarray(fields, { maxLength: Math.min(5, fields.length) })
    .chain((chosen) =>
      fc
        .tuple(...onePerOneof(chosen).map((field) => fieldArbitrary(field, depth - 1)))
        .map((entries) => Object.assign({}, ...entries) as JsonValue),
    );
}

/** The first value of an enum is its default, and is not written. Some enums have no other value. */
function isWritten(field: DescField): boolean {
  return field.enum === undefined || field.enum.values.some(({ number }) => number !== 0);
}

function onePerOneof(fields: readonly DescField[]): readonly DescField[] {
  const taken = new Set<unknown>();
  return fields.filter(({ oneof }) => oneof === undefined || (!taken.has(oneof) && taken.add(oneof)));
}

type Entry = Readonly<Record<string, JsonValue>>;

function fieldArbitrary(field: DescField, depth: number): fc.Arbitrary<Entry> {
  const value = valueArbitrary(field, depth);
  if (field.jsonName === inlined) return value as fc.Arbitrary<Entry>;
  return valuesArbitrary(field, value).map((written) => ({ [field.jsonName]: written }));
}

function valuesArbitrary(field: DescField, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  if (field.fieldKind === "list") return fc.array(value, { minLength: 1, maxLength: 3 });
  if (field.fieldKind !== "map") return value;
  const key = field.mapKey === ScalarType.STRING ? fc.stringMatching(/^[a-z./]{1,5}$/u) : fc.nat(99).map(String);
  return fc.dictionary(key, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
}

function valueArbitrary(field: DescField, depth: number): fc.Arbitrary<JsonValue> {
  if (field.enum !== undefined) return enumArbitrary(field.enum);
  return field.message === undefined
    ? scalarArbitrary(field.scalar ?? ScalarType.INT32)
    : rawArbitrary(field.message, depth);
}

function enumArbitrary({ values }: DescEnum): fc.Arbitrary<JsonValue> {
  const names = values.filter(({ number }) => number !== 0).map(({ name }) => name);
  return fc.constantFrom(...names);
}

const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/u), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonValue>;
const time = fc.constantFrom("2024-05-17T08:30:00Z", "1999-12-31T23:59:59.250Z");

const wellKnown: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  "google.protobuf.Duration": fc.nat(10_000).map((seconds) => `${seconds}s`),
  "google.protobuf.Timestamp": time,
  "google.protobuf.Struct": record,
  "google.protobuf.Value": record,
  "google.protobuf.ListValue": fc.array(record, { maxLength: 2 }),
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": time,
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": fc.oneof(fc.nat(70_000), fc.string()),
};

function scalarArbitrary(type: ScalarType): fc.Arbitrary<JsonValue> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
    case ScalarType.BOOL:
      return fc.constant(true);
    case ScalarType.BYTES:
      return fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.integer({ min: 1, max: 400 }).map((quarters) => quarters / 4);
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: 1n, max: 2n ** 62n }).map(String);
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    default:
      return fc.integer({ min: 1, max: 2 ** 31 - 1 });
  }
}
