import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf, errorFrom, MeshError, meshErrors, networkReason } from "./errors.ts";

describe("a MeshError", () => {
  test("carries its code, message and cause", () => {
    const cause = new Error("ECONNREFUSED");
    const error = new MeshError("source-unavailable", "etcd does not answer", { cause });
    expect(error).toMatchObject({
      name: "MeshError",
      code: "source-unavailable",
      message: "etcd does not answer",
      cause,
    });
  });

  test("has no cause of its own when none was given", () => {
    expect(Object.hasOwn(new MeshError("timeout", "too late"), "cause")).toBe(false);
  });

  test("is returned unchanged by from()", () => {
    const error = new MeshError("not-found", "no such proxy");
    expect(MeshError.from(error)).toBe(error);
  });

  test.each([new TypeError("x is not a function"), "x is not a function"])(
    "from(%o) is internal and keeps the thrown value",
    (thrown) => {
      expect(MeshError.from(thrown)).toMatchObject({
        code: "internal",
        message: "x is not a function",
        cause: thrown,
      });
    },
  );
});

test("errorFrom keeps an error and wraps anything else", () => {
  const error = new RangeError("far");
  expect(errorFrom(error)).toBe(error);
  expect(errorFrom(42)).toMatchObject({ message: "42", cause: 42 });
});

test("codeOf returns the code of a value that has one", () => {
  expect(codeOf(Object.assign(new Error("no such file"), { code: "ENOENT" }))).toBe("ENOENT");
  expect(codeOf(new MeshError("timeout", "too late"))).toBe("timeout");
  expect([codeOf(new Error("no such file")), codeOf("ENOENT")]).toEqual([undefined, undefined]);
});

const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");

test.each([
  ["itself", refused],
  ["its cause", new TypeError("fetch failed", { cause: refused })],
  ["the first of several", new AggregateError([refused, new Error("connect ECONNREFUSED ::1:1")])],
  ["the first of several causes", new TypeError("fetch failed", { cause: new AggregateError([refused]) })],
  ["what was thrown", refused.message],
])("networkReason finds the reason in %s", (_, thrown) => {
  expect(networkReason(thrown)).toBe("connect ECONNREFUSED 127.0.0.1:1");
});

test("every code of the catalogue is in use", () => {
  const src = join(import.meta.dirname, "..");
  const files = globSync("**/*.ts", { cwd: src, exclude: ["testing/**", "**/*.test.ts"] });
  const texts = files.map((file) => readFileSync(join(src, file), "utf8")).join("\n");
  const used = new Set(Array.from(texts.matchAll(/MeshError\(\s*"([^"]+)"/gu), ([, code]) => code));
  expect(Object.keys(meshErrors).filter((code) => !used.has(code))).toEqual([]);
});

test("every code of the catalogue has a sentence that explains it", () => {
  for (const [code, meaning] of Object.entries(meshErrors)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  }
});
