import { parseSync } from "oxc-parser";

/** Files that may spread an array into a call, each with the reason why the array is short. */
const boundedSpreads: Readonly<Record<string, string>> = {
  "admin/pilot/envoy-dump.ts": "the types are a list in the code",
};

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly argument?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
  readonly params?: readonly SyntaxNode[];
}

/**
 * Calls that spread an array into their arguments, by line. Each item becomes an argument on the stack, and some
 * 100 000 items end the process. A function may pass on its own rest parameter: its callers wrote those arguments out.
 */
export function* spreadLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  if (path.endsWith(".test.ts") || path.startsWith("testing/") || path in boundedSpreads) return;
  if (!text.includes("...")) return;
  for (const offset of spreadsIn(parseSync(path, text).program, new Set())) {
    yield `line ${text.slice(0, offset).split("\n").length} spreads an array into a call: use append, largest or smallest`;
  }
}

function* spreadsIn(value: unknown, restParameters: ReadonlySet<string>): Iterable<number> {
  if (Array.isArray(value)) for (const item of value) yield* spreadsIn(item, restParameters);
  if (!isNode(value)) return;
  const known = restParameters.union(new Set(restParametersOf(value)));
  for (const argument of value.type.endsWith("CallExpression") || value.type === "NewExpression"
    ? (value.arguments ?? [])
    : []) {
    if (argument.type === "SpreadElement" && !known.has(argument.argument?.name ?? "")) yield argument.start;
  }
  for (const child of Object.values(value)) yield* spreadsIn(child, known);
}

function restParametersOf({ params = [] }: SyntaxNode): readonly string[] {
  if (!Array.isArray(params)) return [];
  return params.flatMap(({ type, argument }) => (type === "RestElement" && argument?.name ? [argument.name] : []));
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
