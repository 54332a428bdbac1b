import { expect, test } from "vitest";
import { jsonDiff } from "./json-diff.ts";

test.each([
  ["equal values have no difference", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["the order of keys does not count", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, []],
  ["a changed value has both sides", { a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", here: 1, there: 2 }]],
  [
    "a part of one side has one side",
    { a: 1 },
    { b: 2 },
    [
      { path: "a", here: 1 },
      { path: "b", there: 2 },
    ],
  ],
  ["an inserted item is one difference", { l: ["x", "y"] }, { l: ["new", "x", "y"] }, [{ path: "l[0]", there: "new" }]],
  [
    "named items are compared by name, in any order",
    { l: [{ name: "x", v: 1 }, { name: "y" }] },
    { l: [{ name: "y" }, { name: "x", v: 2 }] },
    [{ path: "l[0].v", here: 1, there: 2 }],
  ],
  [
    "a named item of one side is not compared with another name",
    { l: [{ name: "x" }] },
    { l: [{ name: "y" }] },
    [
      { path: "l[0]", here: { name: "x" } },
      { path: "l[0]", there: { name: "y" } },
    ],
  ],
  [
    "changed items without names are compared in order",
    { l: [{ p: 1 }, { p: 2 }] },
    { l: [{ p: 2 }, { p: 3 }] },
    [{ path: "l[0].p", here: 1, there: 3 }],
  ],
  ["another type is one difference", { a: [1] }, { a: { 0: 1 } }, [{ path: "a", here: [1], there: { 0: 1 } }]],
  ["null is a value", { a: null }, { a: 1 }, [{ path: "a", here: null, there: 1 }]],
])("%s", (_, here, there, expected) => {
  expect(jsonDiff(here, there)).toEqual(expected);
});
