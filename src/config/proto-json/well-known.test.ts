import { StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { wellKnownReader } from "./well-known.ts";

test.each([Number.NaN, Number.POSITIVE_INFINITY, [1, [Number.NaN]], { a: { b: Number.NEGATIVE_INFINITY } }])(
  "%o is no value of an untyped field: YAML has it, JSON has not",
  (raw) => {
    expect(wellKnownReader(ValueSchema)?.(raw)).toMatchObject({ code: "wrong-type" });
    expect(wellKnownReader(StructSchema)?.({ raw })).toMatchObject({ code: "wrong-type" });
  },
);

test("an untyped field may be anything that JSON has", () => {
  const raw = { a: [1, "two", null, { b: true }] };
  expect(wellKnownReader(StructSchema)?.(raw)).toEqual({ ok: true, json: raw });
});
