import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seed } from "../testing/random/seed.ts";
import { fieldPath, pathSteps } from "./field-path.ts";

describe("field paths", () => {
  test.each([
    ["spec.http[0].route", ["spec", "http", 0, "route"]],
    ['metadata.labels["example.com/app"]', ["metadata", "labels", "example.com/app"]],
    ["items[1]", ["items", 1]],
  ])("%s is written from its steps and read back", (path, steps) => {
    expect(fieldPath("", ...steps)).toBe(path);
    expect(pathSteps(path)).toEqual(steps);
  });

  test("any steps are unchanged after formatting and parsing", () => {
    const step = fc.oneof(fc.string(), fc.nat(), fc.constantFrom("x-y", "_a", 'q"uote', "back\\slash"));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        expect(pathSteps(fieldPath("", ...steps))).toEqual(steps);
      }),
      { seed },
    );
  });
});
