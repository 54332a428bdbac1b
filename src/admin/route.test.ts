import { expect, test } from "vitest";
import { json } from "./route.ts";

test("maps, sets and large numbers are converted to JSON values", () => {
  const value = { large: 2n ** 60n, set: new Set(["a"]), map: new Map([["key", 1]]) };
  expect(JSON.parse(json(value).body)).toEqual({ large: "1152921504606846976", set: ["a"], map: { key: 1 } });
});
