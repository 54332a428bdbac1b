import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import { type IssueCode, issueCodes } from "./issue-codes.ts";

const src = join(import.meta.dirname, "..");
const groups = Object.values(issueCodes).map((group) => Object.keys(group));
const codes = groups.flat();

test("codes are sorted, each in one group", () => {
  for (const group of groups) expect(group).toEqual(group.toSorted());
  expect(new Set(codes).size).toBe(codes.length);
});

test("every code has a sentence that explains it", () => {
  expect(codes.filter((code) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(code))).toEqual([]);
  const meanings = Object.values(issueCodes).flatMap((group) => Object.values<string>(group));
  expect(meanings.filter((meaning) => !/^[A-Z`].*\.$/u.test(meaning))).toEqual([]);
});

test("every documented code is in use", () => {
  const files = globSync("**/*.ts", { cwd: src, exclude: ["testing/**", "**/*.test.ts", "config/issue-codes.ts"] });
  const texts = files.map((file) => readFileSync(join(src, file), "utf8")).join("\n");
  expect(codes.filter((code) => !texts.includes(`"${code}"`))).toEqual([]);
});

test("every code in use is documented", () => {
  expectTypeOf<string>().not.toExtend<IssueCode>();
});
