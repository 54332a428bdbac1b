import type { Finding } from "../finding.ts";
import type { Issue } from "../issue.ts";

/**
 * At most so many of some findings or issues, and how many are left out. Errors stay before warnings do: they are why
 * an object is not used.
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

/** Says that there is more, as bad as the worst of it. */
export function moreIssues(left: readonly Pick<Finding, "severity">[], at: Pick<Issue, "object" | "place">): Issue {
  const severity = left.some((each) => each.severity === "error") ? "error" : "warning";
  return { severity, code: "more-issues", path: "", message: `${left.length} more issues are not listed`, ...at };
}
