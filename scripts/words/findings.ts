import { parseSync } from "oxc-parser";
import { isClumsyTitle } from "./title-rules.ts";

/** A sentence that a reader may have to read twice. */
export interface WordFinding {
  readonly file: string;
  readonly line: number;
  readonly kind: "long" | "riddle" | "passive chain" | "title";
  readonly sentence: string;
}

/** The most words that a sentence has without being listed. */
const mostWords = 25;

/** Begins with a question word: the reader must find out what is meant. */
const riddle = /^(?:What|Who|Whoever|Whom|Whose|That which|Those who|He who)\b/u;
const passive =
  /\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?\w+(?:ed|en|told|said|made|sent|kept|held|found|given)\b/gu;

/** Calls that have the title of a test as their first text: `test`, `describe`, `describeWithEnvoy`. */
const titled = /^(?:test|it|describe(?:With\w*|Unless\w*)?)$/u;

/** Folders with texts for users: flags, errors, findings, explanations. The scripts of completion are programs. */
const forUsers =
  /^src\/(?:app\/(?:options|sources)|cli(?!\/completion)|explain|config\/(?:analysis|rules|kinds)|lib\/errors)/u;

export function* findingsIn(file: string, text: string): Iterable<WordFinding> {
  const { program, comments } = parseSync(file, text);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  for (const block of joined(comments, text)) {
    for (const sentence of sentencesIn(block.text)) yield* judge(sentence, file, lineAt(block.start));
  }
  for (const { start, title } of titlesIn(program)) {
    const found = [...judge(title, file, lineAt(start))];
    yield* found;
    if (found.length === 0 && isClumsyTitle(title)) yield { file, line: lineAt(start), kind: "title", sentence: title };
  }
  if (!forUsers.test(file) || file.endsWith(".test.ts")) return;
  for (const { start, value } of textsIn(program)) {
    for (const sentence of sentencesIn(value)) {
      const chain = (sentence.match(passive) ?? []).length >= 2;
      if (chain) yield { file, line: lineAt(start), kind: "passive chain", sentence };
      else yield* judge(sentence, file, lineAt(start));
    }
  }
}

function* judge(sentence: string, file: string, line: number): Iterable<WordFinding> {
  if (riddle.test(sentence)) yield { file, line, kind: "riddle", sentence };
  else if (sentence.split(/\s+/u).length > mostWords) yield { file, line, kind: "long", sentence };
}

interface Comment {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Lines of one `//` comment are one text. */
function* joined(
  comments: readonly Comment[],
  text: string,
): Iterable<{ readonly start: number; readonly text: string }> {
  let open: { start: number; end: number; text: string } | undefined;
  for (const { type, value, start, end } of comments) {
    const follows = type === "Line" && open !== undefined && text.slice(open.end, start).trim() === "";
    if (open !== undefined && follows) open = { start: open.start, end, text: `${open.text}\n${value}` };
    else {
      if (open !== undefined) yield open;
      open = { start, end, text: value };
    }
  }
  if (open !== undefined) yield open;
}

/** Sentences of prose, without tags. Code counts as one word. Each item of a list is a sentence of its own. */
function sentencesIn(text: string): readonly string[] {
  const prose = text
    .replace(/^\s*\*+ ?/gmu, "")
    .replace(/^\s*@\w+.*$/gmu, "")
    .replace(/`[^`]*`/gu, "X");
  return prose
    .split(/^\s*- /mu)
    .flatMap((item) => item.replace(/\s+/gu, " ").split(/(?<=[.!?])\s+(?=[A-Z])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly callee?: SyntaxNode & { readonly object?: SyntaxNode; readonly callee?: SyntaxNode };
  readonly arguments?: readonly SyntaxNode[];
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

function* titlesIn(value: unknown): Iterable<{ readonly start: number; readonly title: string }> {
  for (const node of nodesIn(value)) {
    if (node.type !== "CallExpression" || !titled.test(nameOf(node.callee))) continue;
    const first = node.arguments?.find(
      ({ type, value: text }) => type === "TemplateLiteral" || typeof text === "string",
    );
    if (first?.type === "Literal" && typeof first.value === "string") yield { start: first.start, title: first.value };
    if (first?.type === "TemplateLiteral") {
      yield { start: first.start, title: textOfTemplate(first) };
    }
  }
}

/** `test`, `test.each(…)` and `test.skipIf(…)` alike. */
function nameOf(callee: SyntaxNode["callee"]): string {
  if (callee?.name !== undefined) return callee.name;
  return callee?.object?.name ?? (callee?.callee === undefined ? "" : nameOf(callee.callee));
}

/** Texts with several words, except documents of YAML. */
function* textsIn(value: unknown): Iterable<{ readonly start: number; readonly value: string }> {
  for (const node of nodesIn(value)) {
    const text =
      node.type === "TemplateLiteral" ? textOfTemplate(node) : node.type === "Literal" ? node.value : undefined;
    if (typeof text === "string" && text.includes(" ") && !/^apiVersion: /mu.test(text))
      yield { start: node.start, value: text };
  }
}

/** Every expression counts as one word. */
function textOfTemplate({ quasis = [] }: SyntaxNode): string {
  return quasis.map((part) => part.value.raw).join("x");
}

function* nodesIn(value: unknown): Iterable<SyntaxNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  yield value as SyntaxNode;
  for (const child of Object.values(value)) yield* nodesIn(child);
}
