import { childrenOf, parse, type SyntaxNode } from "./syntax.ts";

/** A place that tells when it is run, and the text for which it speaks. */
export interface Probe {
  readonly start: number;
  readonly end: number;
}

export interface Probed {
  readonly text: string;
  readonly probes: readonly Probe[];
}

/** Where probes tell that they were reached: `globalThis[probeHook](probe)`. */
export const probeHook = "__binnacleProbe";

/** The file with a probe before every statement, and in every function and field that is a mere expression. */
export function probed(path: string, text: string, first: number): Probed {
  const program = parse(path, text);
  if (program === undefined) throw new Error(`${path} cannot be parsed`);
  const probes: Probe[] = [];
  const insertions: { readonly at: number; readonly text: string }[] = [];
  for (const { node, as } of probePlaces(program)) {
    const call = `globalThis.${probeHook}(${first + probes.length})`;
    const [before, after] = around[as](call);
    probes.push({ start: node.start, end: node.end });
    insertions.push({ at: node.start, text: before });
    if (after !== "") insertions.push({ at: node.end, text: after });
  }
  return { text: inserted(text, insertions), probes };
}

/** How a probe stands: before a statement, with a statement that has no block, or in an expression. */
type Place = "before" | "branch" | "expression";

const around: Readonly<Record<Place, (call: string) => readonly [before: string, after: string]>> = {
  before: (call) => [`{ ${call}; } `, ""],
  branch: (call) => [`{ ${call}; `, "}"],
  expression: (call) => [`(${call}, `, ")"],
};

function* probePlaces(node: SyntaxNode): Iterable<{ readonly node: SyntaxNode; readonly as: Place }> {
  for (const { child, field } of childrenOf(node)) {
    const as = placeOf(node, field, child);
    if (as !== undefined) yield { node: child, as };
    yield* probePlaces(child);
  }
}

function placeOf(parent: SyntaxNode, field: string, child: SyntaxNode): Place | undefined {
  if (isStatementOf(parent, field)) return "before";
  if (isMere(parent, field, child)) return "expression";
  const branches = parent.type === "IfStatement" && (field === "consequent" || field === "alternate");
  return branches && child.type !== "BlockStatement" ? "branch" : undefined;
}

function isStatementOf({ type }: SyntaxNode, field: string): boolean {
  if (type === "SwitchCase") return field === "consequent";
  return field === "body" && (type === "BlockStatement" || type === "Program");
}

function isMere({ type }: SyntaxNode, field: string, child: SyntaxNode): boolean {
  if (type === "ArrowFunctionExpression") return field === "body" && child.type !== "BlockStatement";
  if (type === "ConditionalExpression") return field === "consequent" || field === "alternate";
  return type === "PropertyDefinition" && field === "value";
}

/** At one place what was found first, which encloses what was found later, stays outside. */
function inserted(text: string, insertions: readonly { readonly at: number; readonly text: string }[]): string {
  let result = "";
  let done = 0;
  const opening = insertions.map((insertion, order) => ({ ...insertion, order }));
  for (const insertion of opening.toSorted((a, b) => a.at - b.at || rank(a) - rank(b))) {
    result += text.slice(done, insertion.at) + insertion.text;
    done = insertion.at;
  }
  return result + text.slice(done);
}

/** Closing parts come before opening ones, the innermost first. */
function rank({ text, order }: { readonly text: string; readonly order: number }): number {
  return text === ")" || text === "}" ? -1 - order : order;
}

/** The innermost probe around an offset: later ones lie inside earlier ones. */
export function probeAt(probes: readonly Probe[], offset: number): number | undefined {
  const index = probes.findLastIndex(({ start, end }) => start <= offset && offset < end);
  return index < 0 ? undefined : index;
}
