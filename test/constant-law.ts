import { parseSync } from "oxc-parser";
import { serverFolders } from "./server-folders.ts";

const changingMethods = new Set(
  "set add delete clear push pop shift unshift splice sort reverse fill copyWithin".split(" "),
);

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly static?: boolean;
  readonly readonly?: boolean;
  readonly id?: SyntaxNode | null;
  readonly init?: SyntaxNode | null;
  readonly declaration?: SyntaxNode | null;
  readonly declarations?: readonly SyntaxNode[];
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly left?: SyntaxNode;
  readonly argument?: SyntaxNode | null;
}

/**
 * No code changes a constant of its module, so that a memoized builder depends on nothing but its key. A `WeakMap` is
 * an exception: it remembers by identity. The law compares names only, so that no local name may hide such a constant.
 */
export function* constantLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  if (path.endsWith(".test.ts") || !serverFolders.some((folder) => path.startsWith(folder))) return;
  const body = parseSync(path, text).program.body as unknown as readonly SyntaxNode[];
  const constants = new Set(body.flatMap(constantsOf));
  for (const node of nodesIn(body)) {
    const line = `line ${text.slice(0, node.start).split("\n").length}`;
    const changed = rootOf(targetOf(node));
    if (changed !== undefined && constants.has(changed)) yield `${line} changes ${changed}, a constant of the module`;
    if (node.type === "PropertyDefinition" && node.static === true && node.readonly !== true) {
      yield `${line} is a static field that is not readonly`;
    }
  }
}

function constantsOf(statement: SyntaxNode): readonly string[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const constants = (declared?.declarations ?? []).filter(({ init }) => init?.callee?.name !== "WeakMap");
  return constants.flatMap(({ id }) => id?.name ?? []);
}

/** The object that an assignment or a call changes. */
function targetOf(node: SyntaxNode): SyntaxNode | null | undefined {
  if (node.type === "AssignmentExpression") return node.left;
  if (node.type === "UpdateExpression") return node.argument;
  if (node.type === "UnaryExpression" && "operator" in node && node.operator === "delete") return node.argument;
  const method = node.type === "CallExpression" ? node.callee : undefined;
  return changingMethods.has(method?.property?.name ?? "") ? method?.object : undefined;
}

/** `a` of `a.b.c`. */
function rootOf(node: SyntaxNode | null | undefined): string | undefined {
  return node?.type === "MemberExpression" ? rootOf(node.object) : node?.name;
}

function* nodesIn(value: unknown): Iterable<SyntaxNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  yield value as SyntaxNode;
  for (const child of Object.values(value)) yield* nodesIn(child);
}
