import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { messageWithin } from "../../../src/config/effect/schema-fields.ts";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import type { JsonTree } from "../../../src/testing/random/mutate-tree.ts";

export type Mapping = { [key: string]: JsonTree };

/**
 * The message with one of its fields, found by `fields`, at several values. The messages of a group differ in nothing
 * but the field. There is a group for each place where the field is, and where it could be. Not all messages are valid.
 */
export function* variants(value: Mapping, [field, ...rest]: readonly DescField[]): Generator<Iterable<Mapping>> {
  if (field === undefined) return;
  const before = value[field.jsonName];
  const inner = messageWithin(field);
  if (rest.length === 0 || inner === undefined) {
    yield [...valuesFor(field, before)].map((changed) => changedField(value, field, changed));
    return;
  }
  for (const parent of parentsOf(field, inner, before))
    for (const group of variants(parent.value, rest))
      yield [...group].map((changed) => changedField(value, field, parent.put(changed)));
}

/** Whether the field stands anywhere in the message. */
export function isIn(value: unknown, [field, ...rest]: readonly DescField[]): boolean {
  if (field === undefined) return true;
  if (!isMapping(value)) return false;
  const inner: unknown = value[field.jsonName];
  if (inner === undefined) return false;
  if (rest.length === 0) return true;
  if (Array.isArray(inner)) return inner.some((each) => isIn(each, rest));
  if (field.fieldKind === "map" && isMapping(inner)) return Object.values(inner).some((each) => isIn(each, rest));
  return isIn(inner, rest);
}

interface Parent {
  readonly value: Mapping;
  readonly put: (changed: Mapping) => JsonTree;
}

/** The messages in a field: those that are there, and one more that is not. */
function* parentsOf(field: DescField, inner: DescMessage, before: JsonTree | undefined): Generator<Parent> {
  const samples = [sampleMessage(inner, 3), {}];
  if (field.fieldKind === "list") {
    const list = Array.isArray(before) ? before : [];
    for (const [index, value] of list.entries())
      if (isMapping(value)) yield { value, put: (changed) => list.with(index, changed) };
    if (list.length === 0) for (const value of samples) yield { value, put: (changed) => [changed] };
  } else if (field.fieldKind === "map") {
    const map = isMapping(before) ? before : {};
    for (const [key, value] of Object.entries(map))
      if (isMapping(value)) yield { value, put: (changed) => ({ ...map, [key]: changed }) };
    if (Object.keys(map).length === 0)
      for (const value of samples) yield { value, put: (changed) => ({ [sampleKey(field)]: changed }) };
  } else if (isMapping(before)) yield { value: before, put: (changed) => changed };
  else for (const value of samples) yield { value, put: (changed) => changed };
}

/** Members of a oneof exclude each other. */
function changedField(value: Mapping, field: DescField, changed: JsonTree | undefined): Mapping {
  const rivals = new Set((field.oneof?.fields ?? [field]).map(({ jsonName }) => jsonName));
  const others = Object.entries(value).filter(([name]) => !rivals.has(name));
  return Object.fromEntries(changed === undefined ? others : [...others, [field.jsonName, changed]]);
}

/** The current value of a field, then further possible values. Undefined means unset. */
function* valuesFor(field: DescField, before: JsonTree | undefined): Generator<JsonTree | undefined> {
  if (before !== undefined) yield before;
  yield undefined;
  if (field.fieldKind === "list") {
    const list = Array.isArray(before) ? before : [];
    for (const value of valuesOf(field, list[0])) yield [value, ...list.slice(1)];
    if (list.length > 1) yield list.slice(0, 1);
    if (list.length > 0) for (const value of valuesOf(field, undefined)) yield [...list, value];
  } else if (field.fieldKind === "map") {
    const map = isMapping(before) ? before : {};
    const [first] = Object.entries(map);
    if (Object.keys(map).length > 1) yield shifted(map);
    if (first !== undefined) for (const value of valuesOf(field, first[1])) yield { ...map, [first[0]]: value };
    for (const value of valuesOf(field, undefined)) yield { ...map, [sampleKey(field)]: value };
  } else yield* valuesOf(field, before);
}

/** The same values under each other's keys: some maps must sum to something. */
function shifted(map: Mapping): Mapping {
  const values = Object.values(map);
  return Object.fromEntries(Object.keys(map).map((key, index) => [key, values[(index + 1) % values.length] ?? ""]));
}

function sampleKey(field: DescField): string {
  return field.fieldKind === "map" && field.mapKey === ScalarType.STRING ? "sample" : "8080";
}

function* valuesOf(field: DescField, before: JsonTree | undefined): Generator<JsonTree> {
  const all = field.enum === undefined ? plainValues(field, before) : field.enum.values.map(({ name }) => name);
  for (const value of all) if (value !== before) yield value;
}

function plainValues({ message, scalar, jsonName }: DescField, before: JsonTree | undefined): Iterable<JsonTree> {
  if (message === undefined) return scalarValues(scalar ?? ScalarType.STRING, jsonName, before);
  const wrapped = /^google\.protobuf\.(?<type>\w+)Value$/u.exec(message.typeName)?.groups?.["type"];
  if (wrapped !== undefined) return scalarValues(wrappers[wrapped] ?? ScalarType.STRING, jsonName, before);
  switch (message.typeName) {
    case "google.protobuf.Duration":
      return ["7s", "0.25s", "3601s"];
    case "google.protobuf.Timestamp":
      return ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"];
    case "google.protobuf.Struct":
      return [{ sample: "%REQ(:METHOD)%" }];
    case "google.protobuf.Value":
      return ["sample"];
    default:
      return [sampleMessage(message, 3), {}];
  }
}

const wrappers: Readonly<Record<string, ScalarType>> = {
  Bool: ScalarType.BOOL,
  String: ScalarType.STRING,
  Double: ScalarType.DOUBLE,
  UInt32: ScalarType.UINT32,
  Int32: ScalarType.INT32,
};

function scalarValues(scalar: ScalarType, name: string, before: JsonTree | undefined): Iterable<JsonTree> {
  if (scalar === ScalarType.BOOL) return [true, false];
  if (scalar === ScalarType.BYTES) return ["c2FtcGxl"];
  if (scalar !== ScalarType.STRING) return [Number(before ?? 0) + 1, 1, 3, 50, 503, 8080, 10_007];
  const near = typeof before === "string" ? [`${before}x`, `${before}0`] : [];
  return [...near, ...(namedTexts.find(([names]) => names.test(name))?.[1] ?? []), ...texts];
}

/** Valid texts for fields, by a pattern of their names. */
const namedTexts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^key$/u, ["request.headers[x-sample]"]],
  [/credential/iu, ["sample-credential"]],
  [/cert|key|ca|file|path/iu, ["/certs/sample.pem"]],
  [/cipher/iu, ["ECDHE-RSA-AES128-GCM-SHA256"]],
  [/curve/iu, ["P-384"]],
  [/^hosts$/u, ["default/*", "./*", "shop/*"]],
  [/protocol/iu, ["HTTP", "TCP", "GRPC", "CONNECT", "POST"]],
  [/locality|^from$|^to$/iu, ["us/c", "us", "ap"]],
];

const texts = [
  "sample",
  "/sample",
  "10.9.9.9",
  "10.9.0.0/16",
  "sample.example.com",
  "sample.example.com:15012",
  "https://sample.example.com",
  "shop/sample",
  "15",
  "GET",
  "503",
  "UNAVAILABLE",
];

/** A message with all of its fields set, the first of each oneof. */
function sampleMessage(desc: DescMessage, depth: number): Mapping {
  const message: Mapping = {};
  for (const field of desc.fields) {
    if (field.oneof !== undefined && field.oneof.fields[0] !== field) continue;
    const inner = messageWithin(field);
    if (inner !== undefined && depth === 0) continue;
    const value = inner === undefined ? firstOf(valuesOf(field, firstEnum(field))) : sampleMessage(inner, depth - 1);
    if (value === undefined) continue;
    message[field.jsonName] =
      field.fieldKind === "list" ? [value] : field.fieldKind === "map" ? { [sampleKey(field)]: value } : value;
  }
  return message;
}

/** The first value of an enum mostly means nothing. */
function firstEnum({ enum: desc }: DescField): string | undefined {
  return desc?.values[0]?.name;
}

function firstOf<T>(values: Iterable<T>): T | undefined {
  for (const value of values) return value;
  return undefined;
}
