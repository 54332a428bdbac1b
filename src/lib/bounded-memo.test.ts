import { expect, test } from "vitest";
import { BoundedMemo } from "./bounded-memo.ts";

test("a value is built once while its key is among the most recently used", () => {
  const memo = new BoundedMemo<object>(2);
  const first = memo.get("a", () => ({}));
  const second = memo.get("b", () => ({}));
  expect(memo.get("a", () => ({}))).toBe(first);
  memo.get("c", () => ({}));
  expect(memo.get("a", () => ({}))).toBe(first);
  expect(memo.get("b", () => ({}))).not.toBe(second);
});
