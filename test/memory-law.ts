import { parseSync } from "oxc-parser";
import { serverFolders } from "./server-folders.ts";

/** Files whose modules may change what they hold, each with the reason. */
const changing: Readonly<Record<string, string>> = {};

/** Remember by text or number. `memoize`, `oncePer` and `WeakMap` remember by objects, of which each server has its own. */
const memories = new Set(["Map", "Set", "Array", "BoundedMemo"]);

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly kind?: string;
  readonly declaration?: SyntaxNode | null;
  readonly declarations?: readonly SyntaxNode[];
  readonly id?: { readonly typeAnnotation?: { readonly typeAnnotation?: TypeNode } | null };
  readonly init?: SyntaxNode | null;
  readonly callee?: SyntaxNode;
  readonly arguments?: readonly unknown[];
}

interface TypeNode {
  readonly type: string;
  readonly typeName?: { readonly name?: string };
}

/**
 * Modules that remember: a variable, or a collection that starts empty and is not said to stay so. They would make a
 * server depend on those before it in the process, and hide a stale answer from a comparison with a fresh server.
 */
export function* memoryLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  if (path.endsWith(".test.ts") || path in changing || !serverFolders.some((folder) => path.startsWith(folder))) return;
  const body = parseSync(path, text).program.body as unknown as readonly SyntaxNode[];
  for (const statement of body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") continue;
    const line = `line ${text.slice(0, declared.start).split("\n").length}`;
    if (declared.kind !== "const") yield `${line} is a variable of a module: it outlives the server that sets it`;
    else if (declared.declarations?.some(remembers)) yield `${line} is a memory of a module: use memoize or oncePer`;
  }
}

function remembers({ id, init }: SyntaxNode): boolean {
  if (init?.type !== "NewExpression" || !memories.has(init.callee?.name ?? "")) return false;
  const startsEmpty = init.callee?.name === "BoundedMemo" || (init.arguments ?? []).length === 0;
  return startsEmpty && !isReadonly(id?.typeAnnotation?.typeAnnotation);
}

/** `ReadonlyMap`, or a name for one: the names of our collections that nobody changes. */
function isReadonly(said: TypeNode | undefined): boolean {
  return said?.type === "TSTypeReference" && !memories.has(said.typeName?.name ?? "");
}
