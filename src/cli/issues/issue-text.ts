import type { Issue } from "../../config/issue.ts";
import { counted } from "../../lib/counted.ts";
import { excerptLines, oneLine, placeText, stylesFor } from "./excerpt-lines.ts";

export interface IssueTextOptions {
  /** The text of the file, if it can be read. */
  readonly textOf: (file: string) => string | undefined;
  readonly coloured: boolean;
}

/**
 * Formats an issue for people, and for editors that jump to places. The first line is
 * `file:line:column: severity code object field: sentence`. The line of the file follows, with the mistake underlined,
 * and then a hint.
 */
export function issueText(issue: Issue, { textOf, coloured }: IssueTextOptions): string {
  const styled = stylesFor(coloured);
  const colour = issue.severity === "error" ? "red" : "yellow";
  const { place, hint } = issue;
  const subject = [issue.code, issue.object, issue.path].filter((word) => word !== "").join(" ");
  return [
    `${placeText(place, styled)}${styled(colour, issue.severity)} ${oneLine(subject)}: ${oneLine(issue.message)}`,
    ...excerptLines(place, { textOf, styled, colour }),
    ...(hint === undefined ? [] : [`      ${styled("cyan", "hint:")} ${oneLine(hint)}`]),
  ].join("\n");
}

/** `2 errors and 1 warning`, or `no issues`. */
export function issueCount(issues: readonly Issue[]): string {
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  const counts = [counted(issues.length - warnings, "error"), counted(warnings, "warning")];
  return counts.filter((count) => !count.startsWith("0 ")).join(" and ") || "no issues";
}
