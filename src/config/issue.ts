import { type Config, configKey, type SourceLocation } from "./config.ts";
import type { Finding, Remark } from "./finding.ts";

/** A message to the author of a configuration. An error prevents the use of an object or document. */
export interface Issue extends Finding {
  /** `Kind namespace/name` if the object is known, else "". */
  readonly object: string;
  readonly place: SourceLocation | undefined;
}

/** A warning about a whole object, or with "" about none. It has no place in a file. */
export function warningAbout(object: string, remark: Remark): Issue {
  return { severity: "warning", object, path: "", place: undefined, ...remark };
}

/** The issue for an object that a source has twice. It applies to either copy. */
export function duplicateIssue(config: Config, { winner, loser }: Readonly<Record<"winner" | "loser", Config>>): Issue {
  return {
    severity: "warning",
    code: "duplicate-object",
    object: `${config.kind} ${configKey(config)}`,
    path: "metadata.name",
    message: `defined twice: ${winner.origin.reference} wins over ${loser.origin.reference}`,
    place: config.origin.locate("metadata.name"),
  };
}

/** The issue with `--allow-unenforced`: an error about missing enforcement becomes a warning. */
export function toleratedIssue(issue: Issue): Issue {
  if (issue.code !== "no-effect" || issue.severity !== "error") return issue;
  // The hint names the flag that is already set.
  const { hint: _, ...said } = issue;
  return { ...said, severity: "warning" };
}
