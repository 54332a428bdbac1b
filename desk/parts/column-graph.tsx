import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Link } from "../app/router.tsx";
import { type GraphNode, layOut, type PlacedNode } from "./column-layout.ts";

export interface GraphEdge {
  /** A node at the left, and one at the right. */
  readonly from: string;
  readonly to: string;
  readonly kind: "allowed" | "depends" | "denied";
  readonly words: string;
}

interface GraphColumn {
  readonly title: string;
  readonly nodes: readonly GraphNode[];
}

export interface ColumnGraphProps {
  readonly label: string;
  readonly left: GraphColumn;
  readonly right: GraphColumn;
  readonly edges: readonly GraphEdge[];
  /** The edges that are drawn while no node has the focus. */
  readonly shown: readonly GraphEdge[];
}

/**
 * A graph in two columns: the same input gives the same picture. A node with the focus, or under the pointer, shows all
 * of its edges and no others.
 */
export function ColumnGraph({ label, left, right, edges, shown }: ColumnGraphProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [active, setActive] = useState<{ readonly side: "left" | "right"; readonly id: string }>();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const resized = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  const layout = useMemo(() => layOut(left.nodes, right.nodes, width), [left.nodes, right.nodes, width]);
  const drawn =
    active === undefined ? shown : edges.filter((edge) => (active.side === "left" ? edge.from : edge.to) === active.id);
  const touched = new Set(drawn.map((edge) => (active?.side === "left" ? edge.to : edge.from)));
  return (
    <div class="graph" ref={frame} role="group" aria-label={label}>
      <div class="graph-heads" aria-hidden="true">
        <span>{left.title}</span>
        <span>{right.title}</span>
      </div>
      <svg width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`}>
        <g aria-hidden="true">
          {drawn.map((edge) => (
            <Edge
              key={`${edge.from} ${edge.to}`}
              edge={edge}
              from={layout.left.get(edge.from)}
              to={layout.right.get(edge.to)}
            />
          ))}
        </g>
        {(["left", "right"] as const).map((side) =>
          [...layout[side].values()].map((node) => (
            <Box
              key={`${side} ${node.id}`}
              node={node}
              dim={active !== undefined && !(active.side === side ? active.id === node.id : touched.has(node.id))}
              onEnter={() => setActive({ side, id: node.id })}
              onLeave={() => setActive(undefined)}
            />
          )),
        )}
      </svg>
    </div>
  );
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly from: PlacedNode | undefined;
  readonly to: PlacedNode | undefined;
}

function Edge({ edge, from, to }: EdgeProps): JSX.Element | null {
  if (from === undefined || to === undefined) return null;
  const begin = { x: from.x + from.width, y: from.y + from.height / 2 };
  const end = { x: to.x, y: to.y + to.height / 2 };
  const bend = (end.x - begin.x) / 2;
  const path = `M${begin.x} ${begin.y}C${begin.x + bend} ${begin.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
  return (
    <path class={`edge ${edge.kind}`} d={path}>
      <title>{`${edge.from} → ${edge.to}: ${edge.words}`}</title>
    </path>
  );
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly dim: boolean;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}

function Box({ node, dim, onEnter, onLeave }: BoxProps): JSX.Element {
  return (
    <g
      class={`node ${dim ? "dim" : ""}`}
      onMouseEnter={onEnter}
      onMouseLeave={onLeave}
      onFocusIn={onEnter}
      onFocusOut={onLeave}
    >
      <rect x={node.x} y={node.y} width={node.width} height={node.height} rx="6" />
      {/* A long text is cut at the edge of the node: screen readers and the tooltip have all of it. */}
      <svg x={node.x} y={node.y} width={node.width - 4} height={node.height}>
        {node.lines.map(({ text, href, label = text, y }) => {
          const line = (
            <text key={text} x={10} y={y}>
              {text}
            </text>
          );
          return href === undefined ? (
            line
          ) : (
            <Link key={text} href={href} label={label} title={text}>
              {line}
            </Link>
          );
        })}
      </svg>
    </g>
  );
}
