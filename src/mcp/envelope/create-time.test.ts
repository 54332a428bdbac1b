import { describe, expect, test } from "vitest";
import { readWireTime, wireTime } from "./create-time.ts";

const yearOne = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

describe("the age of an object", () => {
  test.each([
    [1, 0n, 1_000_000],
    [1_500, 1n, 500_000_000],
    [-1, -1n, 999_000_000],
    [-62_135_596_799_999, yearOne, 1_000_000],
  ])("of %d ms travels as seconds and nanoseconds, and comes back", (createdAt, seconds, nanos) => {
    expect(wireTime(createdAt)).toEqual({ seconds, nanos });
    expect(readWireTime({ seconds, nanos })).toBe(createdAt);
  });

  test("travels as Go's zero time if it is unknown", () => {
    expect(wireTime(0)).toEqual({ seconds: yearOne, nanos: 0 });
    expect([readWireTime(undefined), readWireTime({ seconds: yearOne, nanos: 0 })]).toEqual([0, 0]);
  });

  test("is truncated to whole milliseconds", () => {
    expect(readWireTime({ seconds: 1n, nanos: 1_999_999 })).toBe(1_001);
  });

  test.each([
    ["the last nanosecond of the year 9999", { seconds: lastSecond, nanos: 999_999_999 }, 253_402_300_799_999],
    ["a second of the year 10000", { seconds: lastSecond + 1n, nanos: 0 }, undefined],
    ["a second before the year 1", { seconds: yearOne - 1n, nanos: 0 }, undefined],
    ["a negative part of a second", { seconds: 0n, nanos: -1 }, undefined],
    ["a part that is a whole second", { seconds: 0n, nanos: 1_000_000_000 }, undefined],
  ])("at %s is %3$s", (_, time, expected) => {
    expect(readWireTime(time)).toBe(expected);
  });
});
