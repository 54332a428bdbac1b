import { type Alias, isAlias, isCollection, isNode, isPair, type Node } from "yaml";
import type { IssueCode } from "../issue-codes.ts";
import type { Composed } from "./compose.ts";
import { maxAddedValues, maxMistakes } from "./limits.ts";
import type { YamlProblem } from "./yaml-problem.ts";

/** The aliases of a document. */
export interface Aliases {
  /** The target node of each alias. Empty if there is a problem, because following aliases might never end. */
  readonly targets: ReadonlyMap<unknown, Node>;
  readonly problems: readonly YamlProblem[];
}

/**
 * Resolves aliases. Finds aliases without an anchor, aliases that contain themselves, and excessive expansion ("billion
 * laughs"). Linear in the text.
 */
export function resolveAliases({ document, text }: Pick<Composed, "document" | "text">): Aliases {
  // Most documents have no alias, and a walk through all nodes is slow.
  if (!text.includes("*")) return refusedFor([]);
  const { targets, problems } = new Resolver(document.contents);
  if (problems.length > 0) return refusedFor(problems);
  const bomb = firstBeyondLimit(targets);
  if (bomb === undefined) return { targets, problems };
  return refusedFor([problemAt(bomb, "alias-bomb", `aliases add more than ${maxAddedValues} values to this document`)]);
}

function refusedFor(problems: readonly YamlProblem[]): Aliases {
  return { targets: new Map(), problems };
}

/** Walks in document order: an alias refers to the nearest earlier anchor of its name. */
class Resolver {
  readonly targets = new Map<Alias, Node>();
  readonly problems: YamlProblem[] = [];
  readonly #anchors = new Map<string, Node>();
  /** The ancestors of the current node. */
  readonly #open = new Set<Node>();

  constructor(contents: unknown) {
    this.#visit(contents);
  }

  #visit(node: unknown): void {
    if (isPair(node)) {
      this.#visit(node.key);
      this.#visit(node.value);
    } else if (isAlias(node)) {
      this.#resolve(node);
    } else if (isNode(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
      if (!isCollection(node)) return;
      this.#open.add(node);
      for (const item of node.items) this.#visit(item);
      this.#open.delete(node);
    }
  }

  #resolve(alias: Alias): void {
    const { source } = alias;
    const target = this.#anchors.get(source);
    if (target === undefined) this.#report(alias, "unknown-anchor", `this alias has no anchor "&${source}" before it`);
    else if (this.#open.has(target)) this.#report(alias, "recursive-alias", `"*${source}" contains itself`);
    else this.targets.set(alias, target);
  }

  #report(alias: Alias, code: IssueCode, message: string): void {
    if (this.problems.length < maxMistakes) this.problems.push(problemAt(alias, code, message));
  }
}

function problemAt(alias: Alias, code: IssueCode, message: string): YamlProblem {
  return { offset: alias.range?.[0] ?? 0, code, message };
}

/** The first alias, in document order, at which the added values exceed the limit. */
function firstBeyondLimit(targets: ReadonlyMap<Alias, Node>): Alias | undefined {
  const sizes = new Map<Node, number>();
  // Each size is computed once, so measuring a bomb costs no more than reading its text.
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
