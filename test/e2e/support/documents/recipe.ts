import { assert } from "../../../../src/lib/assert.ts";

/** The patterns of all documents that say what to type. */
export const commandDocuments: readonly string[] = [
  "README.md",
  "docs/start.md",
  "docs/{concepts,operations,recipes}/*.md",
  "examples/*/README.md",
];

/** One step that a document gives its reader, or shows. */
export type Step =
  /** ```sh: runs to its end, without an error. `eventually`: runs again until it prints the expected output. */
  | {
      readonly type: "run";
      readonly line: number;
      readonly script: string;
      readonly eventually: boolean;
      readonly output: readonly string[];
    }
  /** ```sh terminal: keeps running, in its own terminal. */
  | { readonly type: "terminal"; readonly line: number; readonly script: string; readonly output: readonly string[] }
  /** ```yaml file=PATH, or any other language: the reader writes it. */
  | { readonly type: "write"; readonly line: number; readonly path: string; readonly content: string };

/** The content between two fences. */
export interface Block {
  readonly line: number;
  readonly language: string;
  /** The words behind the language. */
  readonly words: readonly string[];
  readonly text: string;
}

/**
 * The steps of a document, in order. A ```text block after a ```sh block shows lines of its output, in order. `…`
 * matches anything within a line. Blocks in other languages are illustrations.
 */
export function readRecipe(markdown: string): readonly Step[] {
  const blocks = [...blocksOf(markdown)];
  return blocks.flatMap((block, index): readonly Step[] => {
    const { line, language, words, text } = block;
    const file = words.find((word) => word.startsWith("file="))?.slice("file=".length);
    if (file !== undefined) return [{ type: "write", line, path: file, content: text }];
    if (language !== "sh" || skipReason(block) !== undefined) return [];
    const next = blocks[index + 1];
    const output = next?.language === "text" ? next.text.trimEnd().split("\n") : [];
    if (words.includes("terminal")) return [{ type: "terminal", line, script: text, output }];
    return [{ type: "run", line, script: text, eventually: words.includes("eventually"), output }];
  });
}

/** The steps below a heading of the second level. Throws if there are none. */
export function stepsUnder(markdown: string, heading: string): readonly Step[] {
  const section = markdown.split(/(?=^## )/mu).find((each) => each.startsWith(`## ${heading}\n`)) ?? "";
  const steps = readRecipe(section);
  if (steps.length === 0) throw new Error(`the document has no steps under ${heading}`);
  return steps;
}

/**
 * The reason why a ```sh block is for readers only, as in ```sh skip: needs a cluster. Undefined for a block that runs.
 */
export function skipReason({ words: [first, ...rest] }: Block): string | undefined {
  return first === "skip:" ? rest.join(" ") : undefined;
}

export function* blocksOf(markdown: string): Generator<Block> {
  const lines = markdown.split("\n");
  let open: { readonly line: number; readonly indent: number; readonly info: string } | undefined;
  let text: string[] = [];
  for (const [index, line] of lines.entries()) {
    const fence = /^(?<indent> *)```(?<info>.*)$/u.exec(line)?.groups;
    if (fence === undefined) {
      text.push(line.slice(open?.indent ?? 0));
    } else if (open === undefined) {
      open = { line: index + 1, indent: fence["indent"]?.length ?? 0, info: fence["info"] ?? "" };
      text = [];
    } else {
      const [language = "", ...words] = open.info.trim().split(/\s+/u);
      yield { line: open.line, language, words, text: `${text.join("\n")}\n` };
      open = undefined;
    }
  }
  assert(open === undefined, `a block of the document, from line ${open?.line}, has no end`);
}

/** The first expected line that the output lacks. Undefined when all are there, in order. */
export function firstMissing(expected: readonly string[], output: string): string | undefined {
  const lines = output.split("\n");
  let from = 0;
  for (const wanted of expected) {
    const parts = wanted.trim().split("…");
    const pattern = new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".*")}$`, "u");
    const found = lines.findIndex((line, index) => index >= from && pattern.test(line.trim()));
    if (found === -1) return wanted;
    from = found + 1;
  }
  return undefined;
}
