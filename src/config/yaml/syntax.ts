import { type ErrorCode, isCollection, isScalar } from "yaml";
import type { Issue } from "../issue.ts";
import type { Aliases } from "./aliases.ts";
import { characterProblems } from "./characters.ts";
import type { Composed, Mistake } from "./compose.ts";
import { duplicateKeys } from "./duplicate-keys.ts";
import { maxMistakes } from "./limits.ts";
import type { Problem } from "./problem.ts";
import { forEachNode } from "./walk.ts";

/** Mistakes that are reported of one document, and as many of its aliases. */
const maxSyntaxErrors = 5;

/**
 * What is wrong with a document as YAML, with exact places: errors first, those of its aliases last among them;
 * warnings (unknown tags) after them.
 */
export function syntaxIssues(composed: Composed, { problems: aliases }: Aliases): readonly Issue[] {
  const { document, text, mistakes, warnings } = composed;
  const problems = [
    ...mistakes.map((mistake) => problemOf(composed, mistake)),
    ...duplicateKeys(document),
    ...Iterator.from(characterProblems(text)).take(maxMistakes),
  ].toSorted((a, b) => a.offset - b.offset);
  const remarks = warnings.map(
    ({ offset, message }): Problem => ({ offset, code: "yaml-warning", message: lowerFirst(message) }),
  );
  return [
    ...withoutEchoes(problems.map((problem) => issueAt(composed, "error", problem))),
    ...aliases.slice(0, maxSyntaxErrors).map((problem) => issueAt(composed, "error", problem)),
    ...remarks.map((remark) => issueAt(composed, "warning", remark)),
  ];
}

/** The parser may complain about one thing several times; the first complaint per line is enough. */
function withoutEchoes(issues: readonly Issue[]): readonly Issue[] {
  const byLine = new Map(issues.toReversed().map((issue) => [issue.place?.line, issue]));
  return issues.filter((issue) => byLine.get(issue.place?.line) === issue).slice(0, maxSyntaxErrors);
}

function issueAt(composed: Composed, severity: Issue["severity"], { offset, ...problem }: Problem): Issue {
  return { severity, object: "", path: "", place: composed.placeAt(offset), ...problem };
}

function problemOf(composed: Composed, { code, offset, message }: Mistake): Problem {
  const known = wordings[code]?.(composed, offset);
  return known ?? { offset, code: "bad-yaml", message: lowerFirst(message) };
}

type Wording = (composed: Composed, offset: number) => Problem | undefined;

/** Better words, or a better place, for the mistakes people make most. */
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

function badYaml(offset: number, message: string, hint?: string): Problem {
  return { offset, code: "bad-yaml", message, ...(hint === undefined ? {} : { hint }) };
}

const closings: Readonly<Record<string, string>> = { '"': '"', "'": "'", "[": "]", "{": "}" };

/** The parser complains where it gave up, often at the end of the file; the author must look where it began. */
function neverClosed({ document, text }: Composed): Problem | undefined {
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
