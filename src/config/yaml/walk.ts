import { isCollection, isNode, isPair, type Node } from "yaml";

/**
 * Calls back for every node in document order, before its children. Written by hand, because the parser's own walk
 * copies the path to each node.
 */
export function forEachNode(start: unknown, visit: (node: Node) => void): void {
  if (isPair(start)) {
    forEachNode(start.key, visit);
    forEachNode(start.value, visit);
  } else if (isNode(start)) {
    visit(start);
    if (isCollection(start)) for (const item of start.items) forEachNode(item, visit);
  }
}
