import type { JSX } from "preact";
import type { NamespaceCalls, NamespaceSummary } from "../../../src/desk/api/model/mesh.ts";
import { pathTo } from "../../app/router.tsx";
import { counted } from "../../parts/quantity.ts";
import { ColumnGraph, type GraphEdge } from "../../parts/column-graph.tsx";
import type { GraphNode } from "../../parts/column-layout.ts";
import { callWords, verdictOf } from "./call-words.ts";

export interface NamespaceGraphProps {
  readonly names: readonly string[];
  readonly calls: readonly NamespaceCalls[];
  readonly namespaces: readonly NamespaceSummary[];
}

/** More lines than this are not readable at once. */
const readableEdges = 60;

/** Callers at the left, called namespaces at the right. A namespace leads to its services. */
export function NamespaceGraph({ names, calls, namespaces }: NamespaceGraphProps): JSX.Element {
  const services = new Map(namespaces.map((each) => [each.name, each.services]));
  const called = names.filter((name) => (services.get(name) ?? 0) > 0);
  const edges = calls
    .filter((each) => callWords(each) !== "no services")
    .map((each) => ({ from: each.from, to: each.to, kind: verdictOf(each), words: callWords(each) }));
  const { shown, sentence } = readablePart(edges);
  return (
    <>
      {sentence !== "" && <p class="hint">{sentence}</p>}
      <ColumnGraph
        label="Calls between namespaces; the table has the same content"
        left={{ title: "From", nodes: names.map((name) => nodeOf(name, services, "left", edges)) }}
        right={{ title: "To", nodes: called.map((name) => nodeOf(name, services, "right", edges)) }}
        edges={edges}
        shown={shown}
      />
    </>
  );
}

function nodeOf(
  name: string,
  services: ReadonlyMap<string, number>,
  side: "left" | "right",
  edges: readonly GraphEdge[],
): GraphNode {
  const own = edges.filter((edge) => (side === "left" ? edge.from : edge.to) === name);
  const restricted = own.filter(({ kind }) => kind !== "allowed").length;
  const words =
    side === "left"
      ? `may call ${restricted === 0 ? "every namespace" : `all services of ${own.length - restricted} of ${own.length} namespaces`}`
      : counted(services.get(name) ?? 0, "service", "services");
  const text = side === "left" ? name : `${name} (${services.get(name) ?? 0})`;
  return { id: name, lines: [{ text, href: pathTo("mesh", "namespaces", name), label: `${name}: ${words}` }] };
}

/** Of many lines, the rarer kind is drawn: limits in an open mesh, permissions in a closed one. */
function readablePart(edges: readonly GraphEdge[]): {
  readonly shown: readonly GraphEdge[];
  readonly sentence: string;
} {
  const open = edges.filter(({ kind }) => kind === "allowed");
  const limited = edges.filter(({ kind }) => kind !== "allowed");
  if (limited.length === 0)
    return {
      shown: edges.length > readableEdges ? [] : edges,
      sentence: "Every namespace may call every service. Nothing limits calls.",
    };
  if (edges.length <= readableEdges) return { shown: edges, sentence: "" };
  const focus = "Point at a namespace, or move the focus to it, to see all of its lines.";
  return limited.length <= open.length
    ? { shown: limited, sentence: `Most calls are allowed: only the limits are drawn. ${focus}` }
    : { shown: open, sentence: `Most calls are limited: only the open ones are drawn. ${focus}` };
}
