import { expect, test } from "vitest";
import { coveringPatterns, intersectHosts } from "./hostname.ts";

test.each([
  [["*.example.com"], ["a.example.com", "b.org"], ["a.example.com"]],
  [["a.example.com", "b.example.com"], ["*.example.com"], ["a.example.com", "b.example.com"]],
  [["*"], ["*.example.com"], ["*.example.com"]],
  [["*", "a.example.com"], ["a.example.com"], ["a.example.com"]],
  [["example.com"], ["*.example.com"], []],
])("%j and %j meet in %j", (left, right, both) => {
  expect(intersectHosts(left, right)).toEqual(both);
});

test("a name is covered by itself and by every wildcard above it, the closest first", () => {
  expect([...coveringPatterns("a.b.c")]).toEqual(["a.b.c", "*.b.c", "*.c", "*"]);
  expect([...coveringPatterns("*")]).toEqual(["*"]);
});
