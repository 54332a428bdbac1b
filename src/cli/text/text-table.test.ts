import { expect, test } from "vitest";
import { textTable } from "./text-table.ts";

test("columns are as wide as their widest cell", () => {
  expect(textTable(["NAME", "PORT"], [["reviews", "80"], ["a"]])).toBe("NAME      PORT\nreviews   80\na");
});

test("a long cell is cut, so that the other columns stay in sight", () => {
  const [, row = ""] = textTable(["NAME", "PORT"], [["x".repeat(20_000), "80"]]).split("\n");
  expect(row).toBe(`${"x".repeat(300)}… (20000 characters)   80`);
});
