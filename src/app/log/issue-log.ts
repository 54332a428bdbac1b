import type { Change } from "../../collection/collection.ts";
import type { Issue } from "../../config/issue.ts";
import type { SourceIssues } from "../../galley/processor/feed.ts";
import type { Logger } from "../../lib/logger.ts";

/** Says what is newly wrong with the configuration, and what no longer is. */
export function logIssues(changes: readonly Change<SourceIssues>[], logger: Logger): void {
  for (const change of changes) {
    const before = change.type === "added" ? [] : change.before.issues;
    const after = change.type === "removed" ? [] : change.after.issues;
    for (const issue of without(after, before)) {
      logger.warn(fieldsOf(issue), issue.severity === "error" ? "config rejected" : "config warning");
    }
    for (const issue of without(before, after)) logger.info(fieldsOf(issue), "config issue cleared");
  }
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
