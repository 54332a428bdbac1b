import { describe, expect, test } from "vitest";
import { jsonDiff } from "./json-diff.ts";

describe("the difference of two values", () => {
  test.each([
    ["nothing, if only the order of keys differs", { a: 1, b: [2] }, { b: [2], a: 1 }, []],
    ["a changed field", { a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", here: 1, there: 2 }]],
    [
      "a field of one side",
      { a: 1 },
      { b: null },
      [
        { path: "a", here: 1 },
        { path: "b", there: null },
      ],
    ],
    ["another type of value", { a: [1] }, { a: { 0: 1 } }, [{ path: "a", here: [1], there: { 0: 1 } }]],
    ["a key with a dot", { "a.b/c": 1 }, {}, [{ path: '["a.b/c"]', here: 1 }]],
    ["an item at the begin", { http: [1, 2] }, { http: [0, 1, 2] }, [{ path: "http[0]", there: 0 }]],
    ["an item at the end", [1, 2, 3], [1, 2], [{ path: "[2]", here: 3 }]],
    ["an item in the middle", [1, 2, 3], [1, 9, 3], [{ path: "[1]", here: 2, there: 9 }]],
    ["a list that is empty on one side", [], [1], [{ path: "[0]", there: 1 }]],
    ["equal items of another number", [1, 1, 1], [1, 1], [{ path: "[2]", here: 1 }]],
  ])("is %s", (_what, here, there, expected) => {
    expect(jsonDiff(here, there)).toEqual(expected);
  });

  test("compares items by their names, and reports another order", () => {
    const [one, two] = [
      { name: "one", port: 1 },
      { name: "two", port: 2 },
    ];
    expect(jsonDiff([one, two], [{ ...two, port: 3 }])).toEqual([
      { path: "[one]", here: one },
      { path: "[two].port", here: 2, there: 3 },
    ]);
    expect(jsonDiff({ a: [one, two] }, { a: [two, one] })).toEqual([
      { path: "a (order)", here: ["one", "two"], there: ["two", "one"] },
    ]);
  });

  test("compares items with the same name twice by their place", () => {
    const twice = [
      { name: "a", x: 1 },
      { name: "a", x: 2 },
    ];
    expect(jsonDiff(twice, [twice[0], { name: "a", x: 3 }])).toEqual([{ path: "[1].x", here: 2, there: 3 }]);
  });
});
