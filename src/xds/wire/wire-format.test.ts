import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { BadMessage, scanFields, textLength, varintLength, WireWriter } from "./wire-format.ts";

/** Each visited field as `number start-end (start of its tag)`. */
function visited(bytes: readonly number[]): readonly string[] {
  const fields: string[] = [];
  scanFields(Uint8Array.from(bytes), (field, start, end, tagStart) => {
    fields.push(`${field} ${start}-${end} (${tagStart})`);
  });
  return fields;
}

describe("scanning a message", () => {
  test("visits each length-delimited field with its number and its position", () => {
    expect(visited([])).toEqual([]);
    expect(visited([0x0a, 2, 7, 7, 0x12, 0, 0xa2, 0x01, 1, 7])).toEqual(["1 2-4 (0)", "2 6-6 (4)", "20 9-10 (6)"]);
  });

  test.each([
    ["a varint of one byte", [0x08, 0x7f]],
    ["a varint of ten bytes", [0x08, ...Array<number>(9).fill(0xff), 0x01]],
    ["a fixed64", [0x09, 1, 2, 3, 4, 5, 6, 7, 8]],
    ["a fixed32", [0x0d, 1, 2, 3, 4]],
  ])("skips %s, and continues after it", (_what, skipped) => {
    const at = skipped.length;
    expect(visited([...skipped, 0x1a, 1, 7])).toEqual([`3 ${at + 2}-${at + 3} (${at})`]);
  });

  test("reads a field whose length takes two bytes", () => {
    expect(visited([0x0a, 0x80, 0x01, ...Array<number>(128).fill(0)])).toEqual(["1 3-131 (0)"]);
  });

  test.each([3, 4, 6, 7])("refuses wire type %i, which xDS does not use", (wireType) => {
    expect(() => visited([0x08 | wireType, 0])).toThrow(new BadMessage(`wire type ${wireType} is not used in xDS`));
  });

  test.each([
    ["in a tag", [0x80]],
    ["in a varint", [0x08, 0x80]],
    ["before a length", [0x0a]],
    ["in a field", [0x0a, 2, 7]],
    ["in a fixed64", [0x09, 1, 2, 3, 4, 5, 6, 7]],
    ["in a fixed32", [0x0d, 1, 2, 3]],
  ])("refuses a message that ends %s", (_where, bytes) => {
    const fields: number[] = [];
    const scan = () => scanFields(Uint8Array.from(bytes), (field) => fields.push(field));
    expect(scan).toThrow(new BadMessage("truncated message"));
    expect(fields).toEqual([]);
  });

  test("refuses a varint of eleven bytes", () => {
    const eleven = [0x08, ...Array<number>(10).fill(0x80), 0x00];
    expect(() => visited(eleven)).toThrow(new BadMessage("a varint has at most ten bytes"));
  });

  test("refuses a length that fits only by its low bits", () => {
    expect(() => visited([0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x01, 7])).toThrow(new BadMessage("truncated message"));
  });
});

const sizes = [0, 1, 127, 128, 300, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1];

test.each(sizes)("the varint of %i has the bytes of protobuf-es, and the computed length", (value) => {
  const written = new WireWriter(varintLength(value)).varint(value).bytes;
  expect(Buffer.from(new BinaryWriter().uint32(value).finish())).toEqual(written);
  expect(new BinaryReader(written).uint32()).toBe(value);
});

test.each(["a", "é", "x".repeat(127), "x".repeat(128), "é".repeat(64), "x".repeat(20_000)])(
  "a text is written as in protobuf-es, with the computed length",
  (text) => {
    const writer = new WireWriter(2 * textLength(text)).text(1, text).text(15, text);
    const expected = new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .string(text)
      .tag(15, WireType.LengthDelimited)
      .string(text)
      .finish();
    expect(writer.bytes).toEqual(Buffer.from(expected));
  },
);

test("an empty text takes no bytes, because protobuf omits empty fields", () => {
  expect(textLength("")).toBe(0);
  expect(new WireWriter(textLength("a")).text(1, "").text(2, "a").bytes).toEqual(Buffer.of(0x12, 1, 97));
});
