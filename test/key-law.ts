import { parseSync } from "oxc-parser";

/** Ids that are not keys of memos or parts, each with its meaning. */
const otherIds: Readonly<Record<string, string>> = {
  partId: "derived from all fields of a part's inputs",
  chainMatchId: "equal for two matches that Envoy cannot tell apart, which is less than equal content",
  subnetId: "equal for two spellings of one subnet",
  readNodeId: "reads the id that a client sends",
  partKey: "a type, a family and a part id, in that order: the first two contain no space",
  serviceKey: "a namespace and a hostname, which contain no slash",
  parseServiceKey: "reads such a key",
  networkGatewayKey: "all fields as JSON: the key of a gateway in its collection",
  conflictKey: "equal for conflicts that differ in their losers only, to merge them",
  unusedKey: "reads the key of a metadata entry that a client sends",
};

/** The folders whose results are cached and shared between proxies. */
const folders = ["pilot/model/", "pilot/networking/", "pilot/xds/"];

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly id?: SyntaxNode | null;
  readonly init?: SyntaxNode | null;
  readonly declaration?: SyntaxNode | null;
  readonly declarations?: readonly SyntaxNode[];
  readonly callee?: SyntaxNode;
}

/** The memos of a file by name, in the order in which the module creates them. */
export function memosIn({ path, text }: { path: string; text: string }): readonly string[] {
  if (path.endsWith(".test.ts") || !text.includes("memoize(")) return [];
  const declared = [...topDeclarations(parseSync(path, text).program)];
  return declared.filter(({ init }) => init?.callee?.name === "memoize").map(({ id }) => id?.name ?? "");
}

/**
 * Keys cannot lie. A memoized builder is at the top of its module, where it sees its key and no variable of a caller.
 * No code writes the id of a value by hand.
 */
export function* keyLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  if (path.endsWith(".test.ts") || path === "lib/memo.ts") return;
  const { program } = parseSync(path, text);
  const lineOf = ({ start }: SyntaxNode) => `line ${text.slice(0, start).split("\n").length}`;
  if (text.includes("memoize(")) {
    const atTop = new Set(Array.from(topDeclarations(program), ({ init }) => init));
    for (const call of callsOf("memoize", program)) {
      if (!atTop.has(call)) yield `${lineOf(call)} memoizes inside of a function: its builder sees more than its key`;
    }
  }
  if (!folders.some((folder) => path.startsWith(folder))) return;
  for (const { id } of namedFunctions(program)) {
    const name = id?.name ?? "";
    if (/[a-z](?:Id|Key)$/u.test(name) && !(name in otherIds))
      yield `${name} is an id by hand: use memoize or canonicalKey`;
  }
}

function* topDeclarations(program: unknown): Iterable<SyntaxNode> {
  for (const statement of (program as { readonly body: readonly SyntaxNode[] }).body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type === "VariableDeclaration") yield* declared.declarations ?? [];
    else if (declared?.type === "FunctionDeclaration") yield declared;
  }
}

/** Functions, and constants that are functions. */
function* namedFunctions(program: unknown): Iterable<SyntaxNode> {
  const functions = new Set(["ArrowFunctionExpression", "FunctionExpression", "CallExpression"]);
  for (const declared of topDeclarations(program)) {
    if (declared.type === "FunctionDeclaration" || functions.has(declared.init?.type ?? "")) yield declared;
  }
}

function* callsOf(name: string, value: unknown): Iterable<SyntaxNode> {
  if (Array.isArray(value)) for (const item of value) yield* callsOf(name, item);
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  const node = value as SyntaxNode;
  if (node.type === "CallExpression" && node.callee?.name === name) yield node;
  for (const child of Object.values(node)) yield* callsOf(name, child);
}
