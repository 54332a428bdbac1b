import { expect, test } from "vitest";
import { Claims } from "./claims.ts";

test("the smallest input wins, whatever the order of arrival, and the next takes over", () => {
  const claims = new Claims();
  expect(claims.winner("reviews")).toBeUndefined();
  for (const input of ["b", "c", "a"]) claims.add("reviews", input);
  expect(claims.winner("reviews")).toBe("a");
  claims.remove("reviews", "a");
  expect(claims.winner("reviews")).toBe("b");
  claims.remove("reviews", "b");
  claims.remove("reviews", "c");
  expect(claims.winner("reviews")).toBeUndefined();
});

test("a claim that was never made cannot be withdrawn", () => {
  const claims = new Claims();
  expect(() => claims.remove("reviews", "a")).toThrow("claimed");
  claims.add("reviews", "b");
  expect(() => claims.remove("reviews", "a")).toThrow("claimed");
});
