import { type DescField, type DescMessage, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { isWrapperDesc, FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { assert } from "../assert.ts";
import { sortedKeys } from "../sorted-keys.ts";
import type { BackwardBuffer } from "./proto-writer-buffer.ts";
import { mapKey, type Scalar, scalars } from "./proto-writer-scalar.ts";
import { writeStruct } from "./proto-writer-struct.ts";

/** A message literal as the compiled code sees it. TypeScript has checked its type where it was written. */
type Fields = Readonly<Record<string, unknown>>;

/** Writes the fields of a message, last one first. */
export type MessageWriter = (out: BackwardBuffer, message: Fields) => void;

/** Writes one field of a message, if it is set. */
type FieldWriter = (out: BackwardBuffer, message: Fields) => void;

/** Writes one value. The function that creates the writer decides whether the tag is included. */
type ValueWriter = (out: BackwardBuffer, value: unknown) => void;

/**
 * Finds the writer of a nested message and compiles it at first use, because most messages of a large schema are never
 * used.
 */
type Lookup = (desc: DescMessage) => MessageWriter;

/** Turns a descriptor into a function that writes such messages. */
export function compileMessage(desc: DescMessage, lookup: Lookup): MessageWriter {
  const writers: FieldWriter[] = [];
  let oneof: string | undefined;
  let cases = new Map<unknown, ValueWriter>();
  for (const field of desc.fields.toSorted((a, b) => b.number - a.number)) {
    if (field.oneof === undefined) {
      writers.push(fieldWriter(field, lookup));
    } else if (field.oneof.localName !== oneof) {
      // Consecutive members of a oneof share one lookup of its case.
      cases = new Map();
      writers.push(oneofWriter(field.oneof.localName, cases));
    }
    if (field.oneof !== undefined) cases.set(field.localName, taggedWriter(field, lookup));
    oneof = field.oneof?.localName;
  }
  return (out, message) => {
    for (const write of writers) write(out, message);
  };
}

function oneofWriter(name: string, cases: ReadonlyMap<unknown, ValueWriter>): FieldWriter {
  return (out, message) => {
    const chosen = message[name] as { readonly case?: string; readonly value?: unknown } | undefined;
    if (chosen?.value !== undefined) cases.get(chosen.case)?.(out, chosen.value);
  };
}

function fieldWriter(field: DescField, lookup: Lookup): FieldWriter {
  const name = field.localName;
  if (field.fieldKind === "list") return listWriter(field, lookup);
  if (field.fieldKind === "map") return mapWriter(field, lookup);
  const write = taggedWriter(field, lookup);
  if (field.fieldKind === "message" || field.presence !== Presence.IMPLICIT) {
    return (out, message) => {
      const value = message[name];
      if (value !== undefined) write(out, value);
    };
  }
  const { isZero } = scalarOf(field);
  return (out, message) => {
    const value = message[name];
    if (value !== undefined && !isZero(value)) write(out, value);
  };
}

/** Writes a singular value and its tag. */
function taggedWriter(field: DescField, lookup: Lookup): ValueWriter {
  if (field.message !== undefined) {
    const tag = tagOf(field, WireType.LengthDelimited);
    const write = messageValue(field, field.message, lookup);
    return (out, value) => {
      const mark = out.length;
      write(out, value);
      out.delimit(tag, mark);
    };
  }
  const { write, wireType } = scalarOf(field);
  const tag = tagOf(field, wireType);
  return (out, value) => {
    write(out, value, field);
    out.varint(tag);
  };
}

function listWriter(field: DescField & { fieldKind: "list" }, lookup: Lookup): FieldWriter {
  const name = field.localName;
  const writeItem = field.packed ? packedItem(field) : taggedWriter(field, lookup);
  const packedTag = field.packed ? tagOf(field, WireType.LengthDelimited) : 0;
  return (out, message) => {
    const items = message[name] as readonly unknown[] | undefined;
    if (items === undefined || items.length === 0) return;
    const mark = out.length;
    for (let i = items.length - 1; i >= 0; i--) writeItem(out, items[i]);
    if (packedTag !== 0) out.delimit(packedTag, mark);
  };
}

function packedItem(field: DescField): ValueWriter {
  const { write } = scalarOf(field);
  return (out, value) => write(out, value, field);
}

/** Writes entries sorted by key: the key order of a literal must not decide whether two resources are equal. */
function mapWriter(field: DescField & { fieldKind: "map" }, lookup: Lookup): FieldWriter {
  const name = field.localName;
  const tag = tagOf(field, WireType.LengthDelimited);
  const key = scalars[field.mapKey];
  const keyTag = (1 << 3) | key.wireType;
  const writeValue = mapValue(field, lookup);
  return (out, message) => {
    const map = message[name] as Fields | undefined;
    if (map === undefined) return;
    const keys = sortedKeys(map);
    for (let i = keys.length - 1; i >= 0; i--) {
      const text = keys[i] ?? "";
      const mark = out.length;
      writeValue(out, map[text]);
      key.write(out, mapKey(field.mapKey, text), field);
      out.varint(keyTag);
      out.delimit(tag, mark);
    }
  };
}

/** The value of a map entry: always present, always field number 2. */
function mapValue(field: DescField & { fieldKind: "map" }, lookup: Lookup): ValueWriter {
  if (field.message !== undefined) {
    const write = messageValue(field, field.message, lookup);
    return (out, value) => {
      const mark = out.length;
      write(out, value);
      out.delimit((2 << 3) | WireType.LengthDelimited, mark);
    };
  }
  const { write, wireType } = scalarOf(field);
  return (out, value) => {
    write(out, value, field);
    out.varint((2 << 3) | wireType);
  };
}

/** Content of a message field. Three representations of protobuf-es are not plain messages; see each case. */
function messageValue(field: DescField, desc: DescMessage, lookup: Lookup): ValueWriter {
  assert(!isGroup(field), `${field.toString()} is no group`);
  if (desc.typeName === "google.protobuf.Struct" && field.parent.typeName !== "google.protobuf.Value") {
    return (out, value) => writeStruct(out, value as JsonObject);
  }
  if (field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(desc)) {
    const write = taggedWriter(desc.fields[0], lookup);
    const { isZero } = scalarOf(desc.fields[0]);
    return (out, value) => {
      if (!isZero(value)) write(out, value);
    };
  }
  let write: MessageWriter | undefined;
  return orEncoded((out, value) => {
    write ??= lookup(desc);
    write(out, value as Fields);
  });
}

/** Accepts encoded bytes in place of a message, so that parts can be encoded once and shared. */
function orEncoded(write: ValueWriter): ValueWriter {
  return (out, value) => {
    if (value instanceof Uint8Array) out.raw(value);
    else write(out, value);
  };
}

function isGroup(field: DescField): boolean {
  const holdsMessages = field.fieldKind === "message" || (field.fieldKind === "list" && field.listKind === "message");
  return holdsMessages && field.delimitedEncoding;
}

function scalarOf(field: DescField): Scalar {
  return scalars[field.scalar ?? ScalarType.INT32];
}

function tagOf(field: DescField, wireType: WireType): number {
  return ((field.number << 3) | wireType) >>> 0;
}
