import { StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { wellKnownReader } from "./well-known.ts";

test.each([Number.NaN, Number.POSITIVE_INFINITY, [1, [Number.NaN]], { a: { b: Number.NEGATIVE_INFINITY } }])(
  "%o is invalid in an untyped field: YAML has it, but JSON does not",
  (raw) => {
    expect(wellKnownReader(ValueSchema)?.(raw)).toMatchObject({ code: "wrong-type" });
    expect(wellKnownReader(StructSchema)?.({ raw })).toMatchObject({ code: "wrong-type" });
  },
);

test("an untyped field may have any JSON value", () => {
  const raw = { a: [1, "two", null, { b: true }] };
  expect(wellKnownReader(StructSchema)?.(raw)).toEqual({ ok: true, json: raw });
});

test.each([150, 100_000])("an untyped field of %i levels is refused with the reason", (levels) => {
  const raw: unknown = JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const message = "this is nested more than 99 levels deep";
  expect(wellKnownReader(StructSchema)?.(raw)).toMatchObject({ code: "too-complex", message });
});
