import { expect, test } from "vitest";
import { logLineAsText } from "./log-text.ts";

test("a log line has time, level, message and fields", () => {
  const record = { level: "info", time: "2026-11-15T23:45:59.087Z", type: "CDS", cause: ["request"], msg: "push" };
  expect(logLineAsText(JSON.stringify(record))).toBe('23:45:59.087 info  push type=CDS cause=["request"]\n');
});

test("texts with spaces are quoted, and an error shows its stack", () => {
  const record = { level: "error", time: "2026-11-15T23:45:59.087Z", path: "a b", err: { stack: "Error: x\n  at y" } };
  expect(logLineAsText(JSON.stringify({ ...record, msg: "page failed" }))).toBe(
    '23:45:59.087 error page failed path="a b" err=\n  Error: x\n    at y\n',
  );
});
