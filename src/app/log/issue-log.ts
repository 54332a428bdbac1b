import type { Change } from "../../collection/collection.ts";
import { isRefused } from "../../config/finding.ts";
import { foldIssues } from "../../config/fold-issues.ts";
import type { Issue } from "../../config/issue.ts";
import type { SourceIssues } from "../../galley/processor/feed.ts";
import { append } from "../../lib/append.ts";
import type { Logger } from "../../lib/logger.ts";

/** Logs new and resolved issues of the configuration, folded over all changed parts. */
export function logIssues(changes: readonly Change<SourceIssues>[], logger: Logger): void {
  const appeared: Issue[] = [];
  const cleared: Issue[] = [];
  for (const change of changes) {
    const before = change.type === "added" ? [] : change.before.issues;
    const after = change.type === "removed" ? [] : change.after.issues;
    append(appeared, without(after, before));
    append(cleared, without(before, after));
  }
  const { issues, ignored } = foldIssues(appeared);
  for (const issue of issues) {
    logger.warn(fieldsOf(issue), messageFor(issue));
  }
  if (ignored !== undefined) logger.info({ objects: ignored }, "config ignored");
  for (const issue of foldIssues(cleared).issues) logger.info(fieldsOf(issue), "config issue cleared");
}

function messageFor(issue: Issue): string {
  if (isRefused([issue])) return "config rejected";
  return issue.severity === "error" ? "config not enforced" : "config warning";
}

/** An issue that only moved within its file is still the same one. */
function without(issues: readonly Issue[], others: readonly Issue[]): readonly Issue[] {
  const known = new Set(others.map(identityOf));
  return issues.filter((issue) => !known.has(identityOf(issue)));
}

function identityOf({ code, object, path, message, place }: Issue): string {
  return JSON.stringify([place?.file, code, object, path, message]);
}

function fieldsOf({ place, object, path, message, code, hint }: Issue) {
  return { ...place, object, path, code, message, ...(hint !== undefined && { hint }) };
}
