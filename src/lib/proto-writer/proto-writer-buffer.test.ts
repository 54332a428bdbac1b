import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seed } from "../../testing/random/seed.ts";
import { BackwardBuffer } from "./proto-writer-buffer.ts";

type Primitive = readonly [backward: (out: BackwardBuffer) => void, forward: (out: BinaryWriter) => BinaryWriter];

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const primitive = fc.oneof(
  fc.nat(2 ** 32 - 1).map((value): Primitive => [(out) => out.varint(value), (out) => out.uint32(value)]),
  uint64.map((value): Primitive => [(out) => out.varint64(value), (out) => out.uint64(value)]),
  fc.nat(2 ** 32 - 1).map((value): Primitive => [(out) => out.fixed32(value), (out) => out.fixed32(value)]),
  uint64.map((value): Primitive => [(out) => out.fixed64(value), (out) => out.fixed64(value)]),
  fc.float().map((value): Primitive => [(out) => out.float(value), (out) => out.float(value)]),
  fc.double().map((value): Primitive => [(out) => out.double(value), (out) => out.double(value)]),
  fc.uint8Array().map((value): Primitive => [(out) => out.raw(value), (out) => out.raw(value)]),
  fc.uint8Array().map((value): Primitive => [(out) => out.bytes(value), (out) => out.bytes(value)]),
  fc.string({ unit: "grapheme" }).map((value): Primitive => [(out) => out.string(value), (out) => out.string(value)]),
  fc.string({ maxLength: 200 }).map((value): Primitive => [(out) => out.string(value), (out) => out.string(value)]),
);

describe("a backward buffer", () => {
  test("written backwards has the same bytes as a forward writer, however often it grows", () => {
    fc.assert(
      fc.property(fc.array(primitive), fc.nat(64), (primitives, capacity) => {
        const backward = new BackwardBuffer(capacity);
        const forward = new BinaryWriter();
        for (const [, write] of primitives) write(forward);
        for (const [write] of primitives.toReversed()) write(backward);
        expect(Buffer.from(forward.finish()).equals(backward.toBytes())).toBe(true);
      }),
      { seed },
    );
  });

  test("is empty after clear", () => {
    const out = new BackwardBuffer(0);
    out.string("left behind by a message that failed");
    out.clear();
    out.varint(300);
    expect(Array.from(out.toBytes())).toEqual([0xac, 0x02]);
  });
});
