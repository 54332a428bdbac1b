import { styleText } from "node:util";
import type { Issue } from "../../config/issue.ts";
import { excerptAt } from "./source-excerpt.ts";

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
  const styled = (style: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  const colour = issue.severity === "error" ? "red" : "yellow";
  const { place, hint } = issue;
  const at = place === undefined ? "" : `${styled("bold", `${place.file}:${place.line}:${place.column}:`)} `;
  const subject = [issue.code, issue.object, issue.path].filter((word) => word !== "").join(" ");
  const lines = [`${at}${styled(colour, issue.severity)} ${oneLine(subject)}: ${oneLine(issue.message)}`];

  const text = place && textOf(place.file);
  const excerpt = text === undefined || place === undefined ? undefined : excerptAt(text, place);
  if (place !== undefined && excerpt !== undefined) {
    const number = String(place.line).padStart(5);
    lines.push(`${styled("dim", `${number} |`)} ${excerpt.line}`);
    lines.push(`${styled("dim", `${" ".repeat(number.length)} |`)} ${styled(colour, excerpt.underline)}`);
  }
  if (hint !== undefined) lines.push(`      ${styled("cyan", "hint:")} ${oneLine(hint)}`);
  return lines.join("\n");
}

/** `2 errors and 1 warning`, or `no issues`. */
export function issueCount(issues: readonly Issue[]): string {
  const warnings = issues.filter(({ severity }) => severity === "warning").length;
  const counts = [counted(issues.length - warnings, "error"), counted(warnings, "warning")];
  return counts.filter((count) => !count.startsWith("0 ")).join(" and ") || "no issues";
}

/** `1 object`, `2 objects` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Names and values are the user's own, and may hold anything. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
