import { parseSync } from "oxc-parser";

/** A node of the syntax tree, as far as mutations look at it. Offsets are those of the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The tree of a TypeScript file, or `undefined` if it is none. */
export function parse(path: string, text: string): SyntaxNode | undefined {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) return undefined;
  return isNode(program) ? program : undefined;
}

/** Around a value these leave the value as it is. */
const transparent: ReadonlySet<string> = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** Types and imports are gone when the code runs. */
function isErased({ type }: SyntaxNode): boolean {
  return (type.startsWith("TS") && !transparent.has(type)) || type === "ImportDeclaration";
}

/** The nodes below `node` that are there when the code runs, each with the field it stands in. */
export function* childrenOf(node: SyntaxNode): Iterable<{ readonly child: SyntaxNode; readonly field: string }> {
  for (const [field, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child) && !isErased(child)) yield { child, field };
    }
  }
}

export function syntaxNodes(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function isNamed(value: unknown, ...names: readonly string[]): boolean {
  return isNode(value) && value.type === "Identifier" && names.includes(String(value["name"]));
}
