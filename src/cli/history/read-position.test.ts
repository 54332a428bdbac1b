import { describe, expect, test } from "vitest";
import { readPosition, readTime } from "./read-position.ts";

const now = new Date("2026-11-19T14:30:00.500Z");
const time = (text: string) => ({ type: "time", at: Date.parse(text) });

describe("TIME", () => {
  test.each([
    ["now", time("2026-11-19T14:30:00.500Z")],
    ["10m", time("2026-11-19T14:20:00.500Z")],
    ["2026-11-18T14:03:00.250Z", time("2026-11-18T14:03:00.250Z")],
    // The whole second.
    ["2026-11-18T14:03:00Z", time("2026-11-18T14:03:00.999Z")],
    ["120", { type: "moment", number: 120 }],
  ])("%s", (text, position) => {
    expect(readPosition(text, now)).toEqual(position);
  });

  test("14:03 is the whole minute of today", () => {
    const { at } = readPosition("14:03", now) as { readonly at: number };
    expect(at).toBe(new Date(now).setHours(14, 3, 59, 999));
  });

  test.each(["", "foo", "2026-13-40T00:00:00Z", "25:00"])("%j is none", (text) => {
    expect(() => readPosition(text, now)).toThrow("or the number of a moment");
  });

  test("a flag that needs a time takes no moment, and names the forms of a time only", () => {
    expect(readTime("until", "10m", now)).toBe(Date.parse("2026-11-19T14:20:00.500Z"));
    expect(() => readTime("until", "120", now)).toThrow(
      /^--until: expected a time \(2026-11-18T14:03:00Z\), 14:03 or 14:03:05 today, an age \(10m\), found "120"$/u,
    );
  });
});
