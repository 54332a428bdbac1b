import { type Document, isMap, isScalar, type Scalar, type YAMLMap } from "yaml";
import { maxMessageLength, maxMistakes } from "./limits.ts";
import { forEachNode } from "./walk.ts";
import type { YamlProblem } from "./yaml-problem.ts";

/** The first repeated key of each mapping. The parser's own check is quadratic in the number of keys. */
export function duplicateKeys(document: Document.Parsed): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  forEachNode(document.contents, (node) => {
    if (!isMap(node) || problems.length === maxMistakes) return;
    for (const key of repeatedKeys(node)) {
      if (problems.length < maxMistakes) problems.push(problemOf(key));
    }
  });
  return problems;
}

function problemOf(key: Scalar): YamlProblem {
  const message = `the key "${String(key.value).slice(0, maxMessageLength)}" is already set in this mapping`;
  return { offset: key.range?.[0] ?? 0, code: "duplicate-key", message };
}

/**
 * Whether two objects without a marker between them form one document. Then the identity of the document is unknown.
 */
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
