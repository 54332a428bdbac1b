import { expect, test } from "vitest";
import { hash64, hashText } from "./hash.ts";

// Known answers of xxh64 with seed 0.
test.each([
  ["", 0xef46db3751d8e999n],
  ["a", 0xd24ec4f1a98c6e5bn],
  ["abc", 0x44bc2cf5ad770999n],
])("xxh64 of %j is the published one", (text, expected) => {
  expect(hash64(text)).toBe(expected);
});

test("a string and its UTF-8 bytes hash alike", () => {
  const text = "Kompaß ⎈";
  expect(hash64(new TextEncoder().encode(text))).toBe(hash64(text));
});

test("the text form is 16 hex digits, padded", () => {
  expect(hashText("abc")).toBe("44bc2cf5ad770999");
  const short = Array.from({ length: 200 }, (_, index) => String(index)).find((text) => hash64(text) < 1n << 60n) ?? "";
  expect(hashText(short)).toMatch(/^0[0-9a-f]{15}$/);
});
