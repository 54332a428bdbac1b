import { excerptAt } from "../../../src/cli/issues/source-excerpt.ts";
import type { DemoProblem } from "../observed/demo-problem.ts";
import { plain, type ScreenLine, type Style, spread, styled, wrapped } from "./line.ts";
import { problemPlace } from "./sentences.ts";

/** The first problem with the line it is about, and how many more there are. */
export function problemLines(problems: readonly DemoProblem[], columns: number): readonly ScreenLine[] {
  const [problem] = problems;
  if (problem === undefined) return [[styled("bold", "problems"), styled("green", "  none")]];
  const { issue } = problem;
  const style = issue.severity === "error" ? "red" : "yellow";
  const place = [styled("bold", "problem"), styled(style, `  ${problemPlace(problem)}`)];
  return [
    spread(place, [styled("dim", issue.object)], columns),
    ...excerptLines(problem, style),
    ...sentencesOf(problem, problems.length - 1)
      .flatMap((sentence) => wrapped(sentence, columns - 2))
      .map((text) => [plain(`  ${text}`)]),
  ];
}

function sentencesOf({ issue: { path, message, hint, severity } }: DemoProblem, more: number): readonly string[] {
  return [
    path === "" ? message : `${path}: ${message}`,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(severity === "error" ? ["The last good version stays in force, and traffic goes on."] : []),
    ...(more === 0 ? [] : [`${more} more: see /debug/issues.`]),
  ];
}

/** The line with the mistake, and what is wrong about it underlined. */
function excerptLines({ issue: { place }, text }: DemoProblem, style: Style): readonly ScreenLine[] {
  const excerpt = place === undefined || text === undefined ? undefined : excerptAt(text, place);
  if (place === undefined || excerpt === undefined) return [];
  const number = String(place.line).padStart(6);
  return [
    [styled("dim", `${number} | `), plain(excerpt.line)],
    [styled("dim", `${" ".repeat(number.length)} | `), styled(style, excerpt.underline)],
  ];
}
