import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../config/issue.ts";
import { issueCount, issueText } from "./issue-text.ts";

const issue: Issue = {
  severity: "error",
  code: "unknown-field",
  object: "DestinationRule shop/reviews",
  path: "spec.hots",
  message: 'DestinationRule has no field "hots"',
  place: { file: "mesh/rule.yaml", line: 3, column: 3 },
  hint: 'did you mean "host"?',
};
const plain = { textOf: () => "kind: DestinationRule\nspec:\n  hots: reviews\n", coloured: false };

describe("an issue as text", () => {
  test("has the place, the line with the mistake underlined, and a hint", () => {
    expect(issueText(issue, plain)).toBe(
      `mesh/rule.yaml:3:3: error unknown-field DestinationRule shop/reviews spec.hots: DestinationRule has no field "hots"
    3 |   hots: reviews
      |   ^^^^^^^^^^^^^
      hint: did you mean "host"?`,
    );
  });

  test("omits unknown facts", () => {
    const { hint: _hint, ...without } = issue;
    const bare = { ...without, severity: "warning" as const, object: "", path: "", place: undefined };
    expect(issueText(bare, plain)).toBe('warning unknown-field: DestinationRule has no field "hots"');
    expect(issueText(issue, { ...plain, textOf: () => undefined }).split("\n")).toHaveLength(2);
  });

  test("keeps each fact on one line, even with control characters in names", () => {
    expect(issueText({ ...issue, message: "a\nb\u001B[31m" }, plain).split("\n")[0]).toMatch(/: a b \[31m$/u);
  });

  test("uses colours on a terminal", () => {
    const text = issueText(issue, { ...plain, coloured: true });
    expect(text).toContain("\u001B[31merror\u001B[39m");
    expect(stripVTControlCharacters(text)).toBe(issueText(issue, plain));
  });
});

test.each([
  [[], "no issues"],
  [["error"], "1 error"],
  [["warning", "warning"], "2 warnings"],
  [["error", "warning", "error"], "2 errors and 1 warning"],
] as const)("%j is counted as: %s", (severities, text) => {
  expect(issueCount(severities.map((severity) => ({ ...issue, severity })))).toBe(text);
});
