import { type DescField, type DescMessage, type DescOneof, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

/** A literal of a message whose type only a descriptor knows. */
export type AnyLiteral = Readonly<Record<string, unknown>>;

/**
 * Random literals of any message type, as `create(desc, …)` accepts them: a few members each, nested up to `depth`.
 * Keys of maps and of JSON objects are in order, so that encoders that sort and encoders that do not agree.
 */
export function messageArbitrary(desc: DescMessage, depth = 4): fc.Arbitrary<AnyLiteral> {
  const members = desc.members.filter((member) => depth > 0 || (member.kind === "field" && !member.message));
  return fc
    .subarray([...members], { maxLength: Math.min(6, members.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((member) => [member.localName, memberArbitrary(member, depth - 1)]))),
    );
}

function memberArbitrary(member: DescField | DescOneof, depth: number): fc.Arbitrary<unknown> {
  if (member.kind === "field") return fc.option(fieldArbitrary(member, depth), { nil: undefined, freq: 8 });
  return fc
    .constantFrom(...member.fields)
    .chain((field) => fieldArbitrary(field, depth).map((value) => ({ case: field.localName, value })));
}

function fieldArbitrary(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const value = valueArbitrary(field, depth);
  if (field.fieldKind === "list") return fc.array(value, { maxLength: 4 });
  if (field.fieldKind !== "map") return value;
  // JavaScript puts keys that look like integers in an order of its own: one such key cannot be out of order.
  if (field.mapKey === ScalarType.STRING) return recordArbitrary(value);
  return scalarArbitraries[field.mapKey].chain((key) => value.map((item) => ({ [String(key)]: item })));
}

function valueArbitrary(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map((value) => value.number));
  if (field.message === undefined) return scalarArbitraries[field.scalar ?? ScalarType.INT32];
  if (field.message.typeName === "google.protobuf.Struct" && field.parent.typeName !== "google.protobuf.Value") {
    return recordArbitrary(jsonArbitrary(2));
  }
  if (field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message)) {
    return scalarArbitraries[field.message.fields[0].scalar];
  }
  return messageArbitrary(field.message, depth);
}

function recordArbitrary<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), value, { maxKeys: 4 }).map((record) => {
    const entries = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  });
}

function jsonArbitrary(depth: number): fc.Arbitrary<JsonValue> {
  const leaf = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  if (depth === 0) return leaf;
  return fc.oneof(
    leaf,
    fc.array(jsonArbitrary(depth - 1), { maxLength: 3 }),
    recordArbitrary(jsonArbitrary(depth - 1)),
  );
}

const int32 = fc.oneof(fc.integer(), fc.nat(300));
const uint32 = fc.oneof(fc.nat(2 ** 32 - 1), fc.nat(300));
const int64 = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -300n, max: 300n }));
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 300n }));

const scalarArbitraries: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 30, maxLength: 200 })),
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 20 }),
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.FLOAT]: fc.oneof(fc.float(), fc.constantFrom(0, -0)),
  [ScalarType.DOUBLE]: fc.oneof(fc.double(), fc.constantFrom(0, -0)),
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};
