import { childrenOf, isNamed, isNode, parse, type SyntaxNode, syntaxNodes } from "./syntax.ts";

/** A text in place of another, by offsets. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const otherOperator: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&": "|",
  "|": "&",
  "&&": "||",
  "||": "&&",
  "++": "--",
  "--": "++",
  "+=": "-=",
  "-=": "+=",
  "??=": "=",
};

const otherMethod: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
};

/** Calls without which a list is still a list. */
const listSteps: ReadonlySet<string> = new Set(["filter", "toSorted", "slice", "toReversed"]);

/**
 * Every single mutation of this file, in the order of the text. Left alone are types, imports,
 * words in errors that are thrown, and `assert`, which guards promises that only the code itself could break.
 */
export function mutationsOf(path: string, text: string): readonly Mutation[] {
  const program = parse(path, text);
  if (program === undefined) throw new Error(`${path} cannot be parsed`);
  const seen = new Set<string>();
  return [...below(program, text)].filter((mutation) => {
    const { start, end } = mutation;
    const key = `${start} ${end} ${mutation.text}`;
    if (seen.has(key) || text.slice(start, end) === mutation.text) return false;
    seen.add(key);
    return parse(path, applied(text, mutation)) !== undefined;
  });
}

export function applied(text: string, { start, end, text: replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function* below(node: SyntaxNode, text: string): Iterable<Mutation> {
  for (const { child, field } of childrenOf(node)) {
    if (isAssertion(child) || child.type === "ThrowStatement") continue;
    if (!isName(node, field)) yield* at(child, text);
    yield* below(child, text);
  }
}

function isAssertion(node: SyntaxNode): boolean {
  const call = node["expression"];
  return node.type === "ExpressionStatement" && isNode(call) && isNamed(call["callee"], "assert");
}

/** Keys of objects and names of modules are no values. */
function isName(parent: SyntaxNode, field: string): boolean {
  return (field === "key" && parent["computed"] !== true) || field === "source" || parent.type === "ImportExpression";
}

function* at(node: SyntaxNode, text: string): Iterable<Mutation> {
  const { start, end } = node;
  const replace = (replacement: string): Mutation => ({ start, end, text: replacement });
  const of = (part: unknown): string => (isNode(part) ? text.slice(part.start, part.end) : "");
  switch (node.type) {
    case "BinaryExpression":
    case "AssignmentExpression": {
      const other = otherOperator[String(node["operator"])];
      if (other !== undefined) yield replace(`(${of(node["left"])} ${other} ${of(node["right"])})`);
      return;
    }
    case "LogicalExpression": {
      const other = otherOperator[String(node["operator"])];
      if (other === undefined) yield replace(`(${of(node["left"])})`);
      else yield replace(`(${of(node["left"])} ${other} ${of(node["right"])})`);
      return;
    }
    case "UnaryExpression":
      if (node["operator"] === "!" || node["operator"] === "-") yield replace(`(${of(node["argument"])})`);
      return;
    case "UpdateExpression": {
      const [operator, argument] = [otherOperator[String(node["operator"])] ?? "", of(node["argument"])];
      yield replace(node["prefix"] === true ? `${operator}${argument}` : `${argument}${operator}`);
      return;
    }
    case "IfStatement":
    case "ConditionalExpression":
      yield* constantTest(node, ["true", "false"]);
      return;
    case "WhileStatement":
      yield* constantTest(node, ["false"]);
      return;
    case "Literal":
      yield* otherLiterals(node, text);
      return;
    case "TemplateLiteral":
      yield replace('""');
      return;
    case "ArrayExpression":
      if (syntaxNodes(node["elements"]).length > 0) yield replace("[]");
      return;
    case "ExpressionStatement":
      if (!of(node["expression"]).startsWith("super")) yield replace(";");
      return;
    case "ReturnStatement":
      if (!isNode(node["argument"])) yield replace(";");
      else if (!isNamed(node["argument"], "undefined")) yield replace("return;");
      return;
    case "BreakStatement":
    case "ContinueStatement":
      yield replace(";");
      return;
    case "MemberExpression":
      if (node["optional"] === true) yield replace(text.slice(start, end).replace(/\?\.(?=[^?]*$)/u, "."));
      return;
    case "CallExpression":
      yield* otherCalls(node, text);
      return;
    default:
  }
}

function* constantTest(node: SyntaxNode, values: readonly string[]): Iterable<Mutation> {
  const test = node["test"];
  if (!isNode(test)) return;
  for (const value of values) yield { start: test.start, end: test.end, text: value };
}

function* otherLiterals({ value, start, end }: SyntaxNode, text: string): Iterable<Mutation> {
  if (typeof value === "boolean") yield { start, end, text: String(!value) };
  if (typeof value === "number") yield { start, end, text: `(${text.slice(start, end)} + 1)` };
  if (typeof value === "string") yield { start, end, text: value === "" ? '"mutant"' : '""' };
}

function* otherCalls(node: SyntaxNode, text: string): Iterable<Mutation> {
  const { start, end } = node;
  const callee = node["callee"];
  const [first, second] = isEitherWayRound(callee) ? [] : syntaxNodes(node["arguments"]);
  if (first !== undefined && second !== undefined && isSwappable(first) && isSwappable(second)) {
    const of = (part: SyntaxNode): string => text.slice(part.start, part.end);
    const between = text.slice(first.end, second.start);
    yield { start: first.start, end: second.end, text: of(second) + between + of(first) };
  }
  if (!isNode(callee) || callee.type !== "MemberExpression") return;
  const { object, property } = callee;
  if (!isNode(object) || !isNode(property) || property.type !== "Identifier") return;
  const name = String(property["name"]);
  const other = otherMethod[name];
  if (other !== undefined) yield { start: property.start, end: property.end, text: other };
  if (listSteps.has(name)) yield { start, end, text: text.slice(object.start, object.end) };
}

/** `Math.max` and `Math.min` do not mind the order of what they are given. */
function isEitherWayRound(callee: unknown): boolean {
  return isNode(callee) && isNamed(callee["object"], "Math");
}

/** Functions and spread lists do not get into one another's place by mistake. */
function isSwappable({ type }: SyntaxNode): boolean {
  return type !== "SpreadElement" && !type.endsWith("FunctionExpression");
}
