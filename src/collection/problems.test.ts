import { expect, test } from "vitest";
import { Problems } from "./problems.ts";

function fail(): object {
  throw new Error("no port");
}

test("an attempt that throws is listed with its cause until one succeeds or it is cleared", () => {
  const problems = new Problems("endpoints");
  expect(problems.attempt("reviews", "the value", fail)).toBeUndefined();
  expect([...problems.byInput.values()]).toMatchObject([
    { derivation: "endpoints", input: "reviews", value: "the value", cause: { message: "no port" } },
  ]);
  const result = {};
  expect(problems.attempt("reviews", "another", () => result)).toBe(result);
  expect(problems.byInput.size).toBe(0);
  problems.attempt("ratings", "the value", fail);
  problems.clear("ratings");
  expect(problems.byInput.size).toBe(0);
});
