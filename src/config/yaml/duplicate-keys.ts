import { type Document, isMap, isScalar, type Scalar, visit, type YAMLMap } from "yaml";
import type { Problem } from "./problem.ts";

/** Keys that their mapping already has. Our own check, since the parser's takes time quadratic in their number. */
export function duplicateKeys(document: Document.Parsed): readonly Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_, map) {
      for (const key of repeatedKeys(map)) {
        const message = `the key "${String(key.value)}" is already set in this mapping`;
        problems.push({ offset: key.range?.[0] ?? 0, code: "duplicate-key", message });
      }
    },
  });
  return problems;
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
