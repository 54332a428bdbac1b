import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { durationToMs, formatDuration, parseDuration } from "./duration.ts";

describe("durations", () => {
  test.each([
    ["5s", "5s"],
    ["100ms", "0.1s"],
    ["1h30m", "5400s"],
    ["1.5s", "1.5s"],
    [".5s", "0.5s"],
    ["0.000000001s", "0.000000001s"],
    ["250us", "0.00025s"],
    ["7µs", "0.000007s"],
    ["-2s", "-2s"],
    ["-1ms", "-0.001s"],
    ["+3m", "180s"],
    ["0", "0s"],
    ["0s", "0s"],
  ])("%s is %s", (written, canonical) => {
    expect(formatDuration(parseDuration(written) ?? -1n)).toBe(canonical);
  });

  test.each(["", "5", "5 s", "s", "1d", "5s5", "fast", "1,5s", "--1s"])("%j is invalid", (written) => {
    expect(parseDuration(written)).toBeUndefined();
  });

  test("a value beyond a protobuf Duration is invalid", () => {
    expect(parseDuration("315576000000s")).toBeDefined();
    expect(parseDuration("315576000001s")).toBeUndefined();
  });

  test("milliseconds keep their fraction", () => {
    expect(durationToMs(create(DurationSchema, { seconds: 1n, nanos: 500_000 }))).toBe(1000.5);
  });
});
