import type { Issue } from "../../config/issue.ts";
import { counted } from "../text/counted.ts";
import { excerptLines, oneLine, placeText, stylesFor } from "./excerpt-lines.ts";

export interface IssueTextOptions {
  /** The text that a place speaks of, if it can be had. */
  readonly textOf: (file: string) => string | undefined;
  readonly coloured: boolean;
}

/**
 * An issue for people, and for editors that jump to places: `file:line:column: severity code object field: sentence` on
 * the first line, then the line of the file with the mistake underlined, then what to do about it.
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
