import { expect, test } from "vitest";
import type { Issue } from "../../config/issue.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { logIssues } from "./issue-log.ts";

function issue(message: string, line: number, severity: Issue["severity"] = "error"): Issue {
  const place = { file: "mesh/a.yaml", line, column: 3 };
  return { severity, code: "unknown-field", object: "Gateway default/gw", path: "spec.servrs", message, place };
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
