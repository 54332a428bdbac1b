import { type ASTNode, ParseError, parse } from "@marcbachmann/cel-js";
import { readExpression } from "../re2/read-expression.ts";
import { expressionFunctions, expressionMethods } from "./envoy-functions.ts";

/** Keeps the parser from running out of stack. */
const maxLength = 2048;

/** Envoy takes 32 levels of operators, calls and brackets. */
const maxDepth = 30;

/** The limit of Envoy's CEL for programs of RE2. The bootstrap cannot change it. */
const maxProgramSize = 100;

const maxInteger = 2n ** 63n - 1n;

/**
 * Why Envoy would not accept a CEL expression; undefined if it does. Stricter than Envoy in a few cases, such as messages
 * (`Type{…}`): ADR 29 lists them.
 */
export function expressionMistake(text: string): string | undefined {
  if (text.length > maxLength) return `it has more than ${maxLength} characters`;
  if (!text.isWellFormed() || text.includes("\0")) return "it contains a character that is not text";
  try {
    const { ast } = parse(text);
    const literals = literalsOf(ast);
    const misspelt = literals.map(({ start, end }) => literalMistake(text.slice(start, end))).find(Boolean);
    if (misspelt !== undefined) return misspelt;
    const bare = withoutLiterals(text, literals);
    if (/,\s*\)/u.test(bare)) return "a comma stands before )";
    return mistakeIn(ast, bracketDepth(bare) + 1);
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown;
    return thrown.message.split("\n", 1)[0];
  }
}

/** The parser reads a few spellings that Envoy does not. */
function literalMistake(written: string): string | undefined {
  if (/^-?0X/u.test(written)) return "a hexadecimal number begins with 0x";
  const [, quote, content] = /^(?:[rR][bB]?|[bB][rR])(["'])(?!\1\1)(.*)\1$/su.exec(written) ?? [];
  return quote !== undefined && content?.includes(quote)
    ? `a raw string in ${quote} cannot contain ${quote}`
    : undefined;
}

function mistakeIn(node: ASTNode, depth: number): string | undefined {
  if (depth > maxDepth) return `its operators, calls and brackets are nested more than ${maxDepth} levels deep`;
  const own = ownMistake(node);
  if (own !== undefined) return own;
  for (const part of partsOf(node)) {
    const found = mistakeIn(part, isChain(node, part) ? depth : depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownMistake(node: ASTNode): string | undefined {
  const { op, args } = node;
  if (op === "value")
    return typeof args === "bigint" && args > maxInteger ? "an integer has at most 63 bits" : undefined;
  if (op === "call") return callMistake(args[0], args[1]);
  if (op === "rcall") return methodMistake(args[0], args[2]);
  if (op === "?:") return args[1].op === "?:" ? "a conditional cannot stand between ? and :" : undefined;
  if (op === "!_") return args.op === "-_" ? "- cannot follow !" : undefined;
  if (op === "-_") return args.op === "!_" ? "! cannot follow -" : undefined;
  return op === ".?" || op === "[?]" ? "Envoy has no optional fields" : undefined;
}

function callMistake(name: string, args: readonly ASTNode[]): string | undefined {
  if (name === "has")
    return args.length === 1 && args[0]?.op === "." ? undefined : "has() takes one field, as in has(a.b)";
  if (expressionFunctions.get(name) !== args.length) return `Envoy has no function ${name} of ${args.length} arguments`;
  return name === "matches" ? patternMistake(args[1]) : undefined;
}

function methodMistake(name: string, args: readonly ASTNode[]): string | undefined {
  if (!expressionMethods.get(name)?.includes(args.length)) {
    return `Envoy has no method ${name} of ${args.length} arguments`;
  }
  return name === "matches" ? patternMistake(args[0]) : undefined;
}

/** Envoy compiles a regular expression that is written out when it reads the CEL expression. */
function patternMistake(node: ASTNode | undefined): string | undefined {
  if (node?.op !== "value" || typeof node.args !== "string") return undefined;
  const read = readExpression(node.args);
  if (read.type === "bad") return `the regular expression "${node.args}" is invalid: ${read.reason}`;
  if (read.programSize <= maxProgramSize) return undefined;
  return `the regular expression "${node.args}" compiles to more than ${maxProgramSize} instructions`;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

/** The direct parts of a node, whatever lists they are in. */
function partsOf({ args }: ASTNode): readonly ASTNode[] {
  return isNode(args) ? [args] : [args].flat(3).filter(isNode);
}

/** Envoy balances `a || b || c`, so that a long chain is not deep. */
function isChain(node: ASTNode, part: ASTNode): boolean {
  return (node.op === "||" || node.op === "&&") && part.op === node.op;
}

/** The text with zeros in place of its literals, which may contain anything, and without comments. */
function withoutLiterals(text: string, literals: readonly ASTNode[]): string {
  let bare = text;
  for (const { start, end } of literals) bare = bare.slice(0, start) + "0".repeat(end - start) + bare.slice(end);
  return bare.replaceAll(/\/\/.*/gu, "");
}

function literalsOf(node: ASTNode): readonly ASTNode[] {
  return node.op === "value" ? [node] : partsOf(node).flatMap(literalsOf);
}

function bracketDepth(bare: string): number {
  let depth = 0;
  let deepest = 0;
  for (const sign of bare) {
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
