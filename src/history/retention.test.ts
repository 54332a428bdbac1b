import { describe, expect, test } from "vitest";
import { segmentsToDelete } from "./retention.ts";

const day = 86_400_000;
const segments = [1, 2, 3, 4].map((number) => ({
  name: String(number),
  bytes: 100,
  begin: { number, at: number * day },
}));
const deleted = (now: number, maxBytes: number, maxAgeMs: number) =>
  segmentsToDelete(segments.toReversed(), now, { maxBytes, maxAgeMs }).map(({ name }) => name);

describe("the limits of a history", () => {
  test("delete nothing while it fits and is young", () => {
    expect(deleted(5 * day, 400, 10 * day)).toEqual([]);
  });

  test("delete the oldest segments until the rest fits", () => {
    expect(deleted(5 * day, 399, 10 * day)).toEqual(["1"]);
    expect(deleted(5 * day, 200, 10 * day)).toEqual(["1", "2"]);
  });

  test("never delete the newest segment", () => {
    expect(deleted(5 * day, 0, 10 * day)).toEqual(["1", "2", "3"]);
    expect(deleted(500 * day, 400, day)).toEqual(["1", "2", "3"]);
  });

  test("delete a segment when its last moment is too old", () => {
    // The first one ends on day 2.
    expect(deleted(5 * day, 400, 3 * day)).toEqual([]);
    expect(deleted(5 * day + 1, 400, 3 * day)).toEqual(["1"]);
  });
});
