import { type Document, isCollection, isMap, isPair, isScalar, type Scalar, type YAMLMap } from "yaml";
import { append } from "../../lib/append.ts";
import type { Problem } from "./problem.ts";

/** Keys that their mapping already has. Our own check, since the parser's takes time quadratic in their number. */
export function duplicateKeys(document: Document.Parsed): readonly Problem[] {
  const problems: Problem[] = [];
  collect(document.contents, problems);
  return problems;
}

/** By hand, because every document is walked through: the parser's own walk remembers the way to each node. */
function collect(node: unknown, problems: Problem[]): void {
  if (isPair(node)) {
    collect(node.key, problems);
    collect(node.value, problems);
  } else if (isCollection(node)) {
    if (isMap(node)) append(problems, repeatedKeys(node).map(problemOf));
    for (const item of node.items) collect(item, problems);
  }
}

function problemOf(key: Scalar): Problem {
  const message = `the key "${String(key.value)}" is already set in this mapping`;
  return { offset: key.range?.[0] ?? 0, code: "duplicate-key", message };
}

/** Two objects that lost the marker between them look like this, and nobody can tell which one the document is. */
export function isTwoInOne({ contents }: Document.Parsed): boolean {
  return isMap(contents) && repeatedKeys(contents).length > 0;
}

function repeatedKeys(map: YAMLMap): readonly Scalar[] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    if (seen.has(name)) return key;
    seen.add(name);
    return [];
  });
}
