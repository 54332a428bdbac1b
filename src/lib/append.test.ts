import { expect, test } from "vitest";
import { append } from "./append.ts";
import { largest, smallest } from "./extremes.ts";

/** More arguments than a call can take. */
const many = Array.from({ length: 1_000_000 }, (_, index) => index);

test("a million items are appended without overflowing the call stack", () => {
  const list = [-1];
  append(list, many);
  expect([list.length, list[0], list.at(-1)]).toEqual([1_000_001, -1, 999_999]);
});

test("the extremes of a million numbers are found without overflowing the call stack", () => {
  expect([largest(many), smallest(many)]).toEqual([999_999, 0]);
  expect([largest([]), smallest([])]).toEqual([-Infinity, Infinity]);
});
