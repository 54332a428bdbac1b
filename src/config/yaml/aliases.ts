import { type Alias, isAlias, isCollection, isNode, isPair, type Node, visit } from "yaml";
import type { IssueCode } from "../issue-codes.ts";
import type { Composed } from "./compose.ts";
import type { Problem } from "./problem.ts";

/** Aliases may add this many values to a document: far more than people write, far less than a bomb needs. */
const maxAddedValues = 100_000;

/**
 * Aliases whose anchor does not exist, that contain themselves, or that multiply beyond reason ("billion laughs").
 * A document without such problems can be turned into plain values and walked safely. Linear in the text.
 */
export function aliasProblems(composed: Composed): readonly Problem[] {
  // Most documents have none, and a walk through all nodes takes a while.
  if (!composed.text.includes("*")) return [];
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const problems: Problem[] = [];
  const report = (alias: Alias, code: IssueCode, message: string): void => {
    problems.push({ offset: alias.range?.[0] ?? 0, code, message });
  };
  visit(composed.document, {
    Node(_, node, ancestors) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) report(node, "unknown-anchor", `no anchor "&${node.source}" stands before this alias`);
      else if (ancestors.includes(target)) report(node, "recursive-alias", `"*${node.source}" contains itself`);
      else targets.set(node, target);
    },
  });
  const bomb = problems.length === 0 ? firstBeyondLimit(targets) : undefined;
  if (bomb !== undefined) report(bomb, "alias-bomb", `aliases add more than ${maxAddedValues} values to this document`);
  return problems;
}

/** The alias, in document order, at which the values added so far are too many. */
function firstBeyondLimit(targets: ReadonlyMap<Alias, Node>): Alias | undefined {
  const sizes = new Map<Node, number>();
  // Each size is computed once, so that measuring a bomb costs no more than reading its text.
  const sizeOf = (node: unknown): number => {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (!isNode(node)) return 1;
    const known = sizes.get(node);
    if (known !== undefined) return known;
    const parts: readonly unknown[] = isAlias(node) ? [targets.get(node)] : isCollection(node) ? node.items : [];
    const size = parts.reduce<number>((sum, part) => sum + sizeOf(part), 1);
    sizes.set(node, size);
    return size;
  };
  let added = 0;
  for (const [alias, target] of targets) {
    added += sizeOf(target);
    if (added > maxAddedValues) return alias;
  }
  return undefined;
}
