import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { countFields } from "./count-fields.ts";

test("top-level fields of a message are counted, whatever they contain", () => {
  const bytes = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string("x".repeat(1000))
    .tag(2000, WireType.Varint)
    .uint64(2n ** 60n)
    .tag(3, WireType.Bit32)
    .fixed32(1)
    .tag(4, WireType.Bit64)
    .double(1)
    .tag(1, WireType.LengthDelimited)
    .string("")
    .finish();
  expect(countFields(bytes, 100)).toBe(5);
  expect(countFields(new Uint8Array(), 100)).toBe(0);
});

test("fields beyond the limit are not counted", () => {
  const many = Buffer.from("0a00".repeat(1000), "hex");
  expect(countFields(many, 999)).toBe(1000);
  expect(countFields(many, 10)).toBe(11);
});

test("bytes that are not a message end the count", () => {
  expect(countFields(Buffer.alloc(1000, 0xff), 1000)).toBe(1);
  expect(countFields(Buffer.alloc(1000, 7), 1000)).toBe(1000);
});
