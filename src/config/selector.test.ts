import { describe, expect, test } from "vitest";
import { selects } from "./selector.ts";

describe("selects", () => {
  test.each([
    [{}, { app: "reviews" }, true],
    [{}, {}, true],
    [{ app: "reviews" }, { app: "reviews", version: "v1" }, true],
    [{ app: "reviews", version: "v2" }, { app: "reviews", version: "v1" }, false],
    [{ app: "" }, {}, false],
    [{ toString: "x" }, {}, false],
  ])("%j on %j: %s", (selector, labels, selected) => {
    expect(selects(selector, labels)).toBe(selected);
  });
});
