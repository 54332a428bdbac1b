import type { Graph, NodeDescription } from "../../collection/graph.ts";
import { html, type Insert, table } from "./html.ts";
import type { Topic } from "./topic.ts";

/** The collections of each graph: their content, and their inputs. */
export function collectionsTopic(graphs: ReadonlyMap<string, Pick<Graph, "describe">>): Topic {
  const head = ["collection", "kind", "size", "synced", "made from", "reads"];
  return {
    prefix: "collection",
    title: "Collections",
    doc: "all collections, with their size, sync state and inputs",
    data: () => Object.fromEntries(Array.from(graphs, ([name, graph]) => [name, graph.describe()])),
    body() {
      const sections = Array.from(
        graphs,
        ([name, graph]) => html`<h2>${name}</h2>${table(head, graph.describe().map(cellsOf))}`,
      );
      return html`${sections}`;
    },
  };
}

function cellsOf({ name, kind, size, synced, inputs, reads }: NodeDescription): readonly Insert[] {
  return [name, kind, size, synced, inputs.join(", "), reads.join(", ")];
}
