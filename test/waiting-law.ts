import { parseSync } from "oxc-parser";

/** Calls that retry, so that reads inside them may be too early. */
const asksAgain = /^(?:eventually|until\w*|waitFor|logged)$/u;
/** Reads of the current state of another process. */
const pageReads = /^(?:get|metric)$/u;
/** Changes that a server notices a little later. */
const edits = /^(?:write|remove|rename|replace)$/u;

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly argument?: SyntaxNode;
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly body?: unknown;
}

/**
 * Reads of a process's log, and of its pages after an edit, that do not wait, by line. Lines and pages appear a little
 * after their event. On a busy machine a test that does not wait is too early. A log may be read directly if a line
 * must be absent, in the text of an error, and after the process has ended.
 */
export function* waitingLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  const line = (offset: number) => `line ${text.slice(0, offset).split("\n").length}`;
  for (const { node, ancestors } of nodesIn(parseSync(path, text).program, [])) {
    if (isLogRead(node) && !mayBeEarly(ancestors)) yield `${line(node.start)} reads a log without waiting: use logged`;
    if (isFunction(node)) {
      for (const offset of earlyReads(node.body)) {
        yield `${line(offset)} reads a page right after an edit: use eventually`;
      }
    }
  }
}

/** `child.log()` */
function isLogRead({ type, callee }: SyntaxNode): boolean {
  return (
    type === "CallExpression" &&
    callee?.type === "MemberExpression" &&
    callee.property?.name === "log" &&
    callee.object?.name !== "console"
  );
}

function mayBeEarly(ancestors: readonly SyntaxNode[]): boolean {
  if (ancestors.some((node) => asksAgain.test(calleeName(node)))) return true;
  if (ancestors.some(({ type, callee }) => type === "NewExpression" && callee?.name?.endsWith("Error"))) return true;
  if (ancestors.some(({ type, property }) => type === "MemberExpression" && property?.name === "not")) return true;
  const scope = ancestors.findLast(isFunction);
  const read = ancestors.at(-1)?.start ?? 0;
  return Array.from(nodesIn(scope?.body, [])).some(({ node }) => isEnd(node) && node.start < read);
}

/** `await child.exited`, `await child.stop()`: all output has been read. */
function isEnd({ type, argument }: SyntaxNode): boolean {
  if (type !== "AwaitExpression") return false;
  return argument?.property?.name === "exited" || calleeName(argument) === "stop";
}

/** Reads of a page in an expectation without any wait since the edit. */
function* earlyReads(body: unknown): Iterable<number> {
  let edited = false;
  for (const { node, ancestors } of nodesIn(body, [])) {
    if (ancestors.some(isFunction)) continue;
    if (node.type === "CallExpression" && edits.test(calleeName(node))) edited = true;
    if (node.type !== "AwaitExpression") continue;
    const isRead = pageReads.test(calleeName(node.argument));
    if (edited && isRead && ancestors.some((each) => calleeName(each) === "expect")) yield node.start;
    edited &&= isRead;
  }
}

/** The called function or method. Empty for anything but a call. */
function calleeName(node: SyntaxNode | undefined): string {
  if (node?.type !== "CallExpression") return "";
  return node.callee?.name ?? node.callee?.property?.name ?? "";
}

function isFunction({ type }: SyntaxNode): boolean {
  return type.endsWith("FunctionExpression") || type === "FunctionDeclaration";
}

/** Every node with its ancestors, outermost first, in the order of the text. */
function* nodesIn(
  value: unknown,
  ancestors: readonly SyntaxNode[],
): Iterable<{ readonly node: SyntaxNode; readonly ancestors: readonly SyntaxNode[] }> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item, ancestors);
  if (!isNode(value)) return;
  yield { node: value, ancestors };
  const inner = [...ancestors, value];
  for (const child of Object.values(value)) yield* nodesIn(child, inner);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
