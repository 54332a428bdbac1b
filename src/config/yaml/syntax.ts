import { type ErrorCode, isCollection, isScalar } from "yaml";
import type { Issue } from "../issue.ts";
import type { Aliases } from "./aliases.ts";
import { characterProblems } from "./characters.ts";
import type { Composed, ParserError } from "./compose.ts";
import { duplicateKeys } from "./duplicate-keys.ts";
import { maxMistakes } from "./limits.ts";
import { forEachNode } from "./walk.ts";
import type { YamlProblem } from "./yaml-problem.ts";

/** Largest number of mistakes reported per document, and the same number for its aliases. */
const maxSyntaxErrors = 5;

/**
 * The YAML mistakes of a document, with exact places. Errors come first, alias errors last among them. Warnings
 * (unknown tags) follow.
 */
export function syntaxIssues(composed: Composed, { problems: aliases }: Aliases): readonly Issue[] {
  const { document, text, mistakes, warnings } = composed;
  const problems = [
    ...mistakes.map((mistake) => problemOf(composed, mistake)),
    ...duplicateKeys(document),
    ...Iterator.from(characterProblems(text)).take(maxMistakes),
  ].toSorted((a, b) => a.offset - b.offset);
  const remarks = warnings.map(
    ({ offset, message }): YamlProblem => ({ offset, code: "yaml-warning", message: lowerFirst(message) }),
  );
  return [
    ...withoutEchoes(problems.map((problem) => issueAt(composed, "error", problem))),
    ...aliases.slice(0, maxSyntaxErrors).map((problem) => issueAt(composed, "error", problem)),
    ...remarks.map((remark) => issueAt(composed, "warning", remark)),
  ];
}

/** The parser may report one mistake several times. Keeps the first report per line. */
function withoutEchoes(issues: readonly Issue[]): readonly Issue[] {
  const byLine = new Map(issues.toReversed().map((issue) => [issue.place?.line, issue]));
  return issues.filter((issue) => byLine.get(issue.place?.line) === issue).slice(0, maxSyntaxErrors);
}

function issueAt(composed: Composed, severity: Issue["severity"], { offset, ...problem }: YamlProblem): Issue {
  return { severity, object: "", path: "", place: composed.placeAt(offset), ...problem };
}

function problemOf(composed: Composed, { code, offset, message }: ParserError): YamlProblem {
  const known = wordings[code]?.(composed, offset);
  return known ?? { offset, code: "bad-yaml", message: lowerFirst(message) };
}

type Wording = (composed: Composed, offset: number) => YamlProblem | undefined;

/** Better messages, or better places, for the most frequent mistakes. */
const wordings: Partial<Record<ErrorCode, Wording>> = {
  TAB_AS_INDENT: (_, offset) => badYaml(offset, "a tab indents this line", "indent with spaces"),
  NON_STRING_KEY: (_, offset) => badYaml(offset, "a key must be text"),
  RESOURCE_EXHAUSTION: (_, offset) => badYaml(offset, "this is nested too deeply"),
  BLOCK_AS_IMPLICIT_KEY: (_, offset) => badYaml(offset, "a mapping cannot start here", compactHint),
  MULTILINE_IMPLICIT_KEY: (_, offset) => badYaml(offset, "a key must fit on one line", compactHint),
  MISSING_CHAR: neverClosed,
  BAD_INDENT: neverClosed,
};

const compactHint = "check the indentation of the next line, or quote the value";

function badYaml(offset: number, message: string, hint?: string): YamlProblem {
  return { offset, code: "bad-yaml", message, ...(hint === undefined ? {} : { hint }) };
}

const closings: Readonly<Record<string, string>> = { '"': '"', "'": "'", "[": "]", "{": "}" };

/** The parser reports the place where it gave up, often the end of the file. The author needs the start. */
function neverClosed({ document, text }: Composed): YamlProblem | undefined {
  let opening: number | undefined;
  forEachNode(document.contents, (node) => {
    const delimited = (isCollection(node) && node.flow) || (isScalar(node) && node.type?.startsWith("QUOTE"));
    const [start, end] = node.range ?? [0, 0];
    const closing = closings[text[start] ?? ""];
    if (delimited && closing !== undefined && (end - start < 2 || text[end - 1] !== closing)) opening = start;
  });
  return opening === undefined ? undefined : badYaml(opening, `this ${text[opening]} is never closed`);
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
