import { describe, expect, test } from "vitest";
import type { Issue } from "../issue.ts";
import { denialText, warningTexts } from "./verdict.ts";

function issues(count: number, message = "must be set"): readonly Issue[] {
  return Array.from({ length: count }, (_, index) => ({
    severity: "error",
    code: "bad-value",
    object: "Gateway shop/ingress",
    path: `spec.servers[${index}]`,
    message,
    place: undefined,
  }));
}

describe("the text of a denial", () => {
  test("one mistake is one sentence", () => {
    expect(denialText("Gateway shop/ingress", issues(1))).toBe(
      "Gateway shop/ingress is not valid: spec.servers[0]: must be set",
    );
  });

  test("several are listed, each with its field", () => {
    expect(denialText("Gateway shop/ingress", issues(2)).split("\n")).toEqual([
      "Gateway shop/ingress has 2 errors:",
      "- spec.servers[0]: must be set",
      "- spec.servers[1]: must be set",
    ]);
  });

  test("of very many mistakes, the first are listed and the rest is counted", () => {
    const lines = denialText("Gateway shop/ingress", issues(50)).split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe("- and 30 more");
  });

  test("each mistake stays on one line of bounded length, whatever the values contain", () => {
    const text = denialText("x".repeat(10_000), issues(100, `${"y".repeat(10_000)}\n\u001b[31m`));
    expect(text.length).toBeLessThan(10_000);
    expect(text.split("\n").every((line) => line.length <= 420 && !/\p{Cc}/u.test(line))).toBe(true);
  });
});

test("warnings are few and short", () => {
  const warnings = warningTexts(issues(50, "z".repeat(1000)));
  expect(warnings).toHaveLength(10);
  expect(new Set(warnings.map(({ length }) => length))).toEqual(new Set([256]));
});
