import type { DeriveOptions } from "../../../src/collection/derived.ts";
import type { Graph } from "../../../src/collection/graph.ts";

export function syncedTogether(graph: Graph): void {
  const input = graph.input.bind(graph);
  const marks = new Map<string, (() => void)[]>();
  graph.input = (name, options) => {
    const created = input(name, options);
    const collection = name.slice(name.indexOf(" ") + 1);
    const all = marks.get(collection) ?? [];
    marks.set(collection, all);
    all.push(created.markSynced.bind(created));
    created.markSynced = () => all.forEach((mark) => mark());
    return created;
  };
}

export function lastWins(graph: Graph): void {
  const union = graph.union.bind(graph);
  graph.union = (options) => union({ ...options, parts: options.parts.toReversed() });
}

export function unbatched(graph: Graph): void {
  const batch = graph.batch.bind(graph);
  let inside = false;
  graph.batch = (work) => {
    if (inside) return batch(work);
    inside = true;
    try {
      work();
    } finally {
      inside = false;
    }
    return undefined;
  };
}

export function untracked(graph: Graph): void {
  const derive = graph.derive.bind(graph);
  graph.derive = <In, Out, Reads>(options: DeriveOptions<In, Out, Reads>) => {
    // A collection reads like a tracked one; it only forgets who asked.
    const live = options.reads as unknown as Parameters<typeof options.to>[1];
    return derive<In, Out, Reads>({ ...options, to: (value, _reads, key) => options.to(value, live, key) });
  };
}

export function inattentive(graph: Graph): void {
  const onCommit = graph.onCommit.bind(graph);
  graph.onCommit = (listener) => onCommit((commit) => (commit.sequence % 3 === 0 ? undefined : listener(commit)));
}

export function tightLipped(graph: Graph): void {
  Object.defineProperty(graph, "problems", { get: () => [] });
}
