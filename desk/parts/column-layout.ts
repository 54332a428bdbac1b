/** A line of text in a node, which may lead to a page. */
export interface GraphLine {
  readonly text: string;
  readonly href?: string;
  /** For screen readers, where the text alone says too little. */
  readonly label?: string;
}

export interface GraphNode {
  readonly id: string;
  readonly lines: readonly GraphLine[];
}

const linePx = 20;
const padding = 7;
const gap = 8;

interface PlacedLine extends GraphLine {
  /** The base line, from the top of the node. */
  readonly y: number;
}

export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly PlacedLine[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly left: ReadonlyMap<string, PlacedNode>;
  readonly right: ReadonlyMap<string, PlacedNode>;
}

/** Both columns from the top, in the given order, so that a change moves as little as possible. */
export function layOut(left: readonly GraphNode[], right: readonly GraphNode[], width: number): Layout {
  const nodeWidth = Math.min(300, Math.floor(width * 0.38));
  const first = column(left, 1, nodeWidth);
  const second = column(right, width - nodeWidth - 1, nodeWidth);
  return { width, height: Math.max(first.height, second.height), left: first.nodes, right: second.nodes };
}

function column(nodes: readonly GraphNode[], x: number, width: number) {
  const placed = new Map<string, PlacedNode>();
  let y = 1;
  for (const { id, lines } of nodes) {
    const height = lines.length * linePx + 2 * padding;
    const placedLines = lines.map((line, index) => ({ ...line, y: padding + index * linePx + 14 }));
    placed.set(id, { id, x, y, width, height, lines: placedLines });
    y += height + gap;
  }
  return { nodes: placed, height: y };
}
