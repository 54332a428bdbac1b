import { type Finding, isRefused } from "../finding.ts";
import type { Issue } from "../issue.ts";

/**
 * The first findings or issues up to a limit, and the number of the others. Errors are kept before warnings, because
 * they are the reason why an object is not used.
 */
export function firstOf<Found extends Pick<Finding, "severity">>(
  all: readonly Found[],
  limit: number,
): { readonly kept: readonly Found[]; readonly left: readonly Found[] } {
  if (all.length <= limit) return { kept: all, left: [] };
  const { error = [], other = [] } = Object.groupBy(all, ({ severity }) => (severity === "error" ? "error" : "other"));
  const chosen = new Set([...error, ...other].slice(0, limit));
  return { kept: all.filter((each) => chosen.has(each)), left: all.filter((each) => !chosen.has(each)) };
}

/** An issue with the number of omitted findings and their worst severity. */
export function moreIssues(left: readonly Finding[], at: Pick<Issue, "object" | "place">): Issue {
  const severity = isRefused(left) ? "error" : "warning";
  return { severity, code: "more-issues", path: "", message: `${left.length} more issues are not listed`, ...at };
}
