import { expect, test } from "vitest";
import { hasUsableKey } from "./json-web-key.ts";

test.each([
  ["AQEB_w-A", true],
  ["AQEBAQ==", true],
  ["", false],
  ["AQ?B", false],
  ["AQ+B", false],
])("a symmetric key %j is usable: %s", (k, expected) => {
  expect(hasUsableKey(JSON.stringify({ keys: [{ kty: "oct", kid: "one", alg: "HS256", k }] }))).toBe(expected);
});

test("names that objects inherit are no types of keys", () => {
  expect(hasUsableKey(JSON.stringify({ keys: [{ kty: "constructor" }, { kty: "EC", crv: "toString" }] }))).toBe(false);
});
