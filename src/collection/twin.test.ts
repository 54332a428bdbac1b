import { expect, test } from "vitest";
import { Graph } from "./graph.ts";

interface Named {
  readonly name: string;
  readonly size: number;
}

/** Objects with a size that depends on a scale, and by size. */
function mesh(twin?: Graph) {
  const graph = new Graph(twin);
  const names = graph.input<string>("names");
  const scales = graph.input<number>("scales");
  const named = graph.derive({
    name: "named",
    from: names,
    reads: { scales },
    key: ({ name }: Named) => name,
    to: (name, reads) => [{ name, size: name.length * (reads.scales.get(name) ?? 1) }],
  });
  const bySize = graph.group({ name: "by size", from: named, keys: ({ size }) => [String(size)] });
  const write = (...all: readonly string[]) => graph.batch(() => all.forEach((name) => names.set(name, name)));
  return { graph, scales, named, bySize, write };
}

test("a graph holds the objects of its twin where they are equal", () => {
  const first = mesh();
  first.write("a", "b", "cc");
  const second = mesh(first.graph);
  second.scales.set("b", 2);
  second.write("a", "b", "cc");
  expect(second.named.get("a")).toBe(first.named.get("a"));
  expect(second.named.get("b")).toEqual({ name: "b", size: 2 });
  expect(second.bySize.get("2")).toEqual([second.named.get("b"), first.named.get("cc")]);
  second.scales.delete("b");
  expect(second.named.get("b")).toBe(first.named.get("b"));
  expect(second.bySize.get("1")).toBe(first.bySize.get("1"));
});

test("a graph keeps its own object as long as the content is equal, and does not follow its twin", () => {
  const first = mesh();
  const second = mesh(first.graph);
  second.write("a");
  const own = second.named.get("a");
  first.write("a");
  expect(second.graph.batch(() => second.scales.set("a", 1))?.changesOf(second.named)).toEqual([]);
  expect(second.named.get("a")).toBe(own);
  first.scales.set("a", 3);
  expect(second.named.get("a")).toBe(own);
});
