import { expect, test } from "vitest";
import type { Issue } from "../../config/issue.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { logIssues } from "./issue-log.ts";

function issue(message: string, line: number, severity: Issue["severity"] = "error"): Issue {
  const place = { file: "mesh/a.yaml", line, column: 3 };
  return { severity, code: "unknown-field", object: "Gateway default/gw", path: "spec.servrs", message, place };
}

function foreign(code: Issue["code"], object: string): Issue {
  return { ...issue("not read", 1, "warning"), code, object };
}

function part(...issues: readonly Issue[]) {
  return { source: "file:mesh", part: "mesh/a.yaml", issues };
}

test("an issue is logged when it appears and when it clears, not when it only moves", () => {
  const logger = new RecordingLogger();
  const before = part(issue("unknown field servrs", 7));
  const after = part(issue("unknown field servrs", 9), issue("never used", 1, "warning"));
  logIssues([{ type: "added", key: "k", after: before }], logger);
  logIssues([{ type: "updated", key: "k", before, after }], logger);
  logIssues([{ type: "removed", key: "k", before: after }], logger);
  expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    "warn config rejected",
    "warn config warning",
    "info config issue cleared",
    "info config issue cleared",
  ]);
  expect(logger.lines[0]?.fields).toEqual({
    file: "mesh/a.yaml",
    line: 7,
    column: 3,
    object: "Gateway default/gw",
    path: "spec.servrs",
    code: "unknown-field",
    message: "unknown field servrs",
  });
});

test("ignored objects are one line, and those of the Gateway API another, over all files", () => {
  const logger = new RecordingLogger();
  const accounts = ["a", "b"].map((name) => foreign("ignored-kind", `ServiceAccount ${name}`));
  const routes = ["a", "b"].map((name) => foreign("unsupported-kind", `HTTPRoute ${name}`));
  const changes = [...accounts, ...routes].map((each, index) => {
    return { type: "added", key: `${index}`, after: part(each) } as const;
  });
  logIssues(changes, logger);
  expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    "warn config warning",
    "info config ignored",
  ]);
  expect(logger.lines[0]?.fields).toMatchObject({ message: expect.stringContaining("2 objects without effect") });
});
