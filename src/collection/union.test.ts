import { describe, expect, test } from "vitest";
import { Graph } from "./graph.ts";

function twoSources() {
  const graph = new Graph();
  const file = graph.input<string>("file");
  const kube = graph.input<string>("kube");
  const all = graph.union({ name: "all", parts: [file, kube] });
  return { graph, file, kube, all };
}

describe("a union", () => {
  test("holds what its parts hold, and the first part wins a clash", () => {
    const { file, kube, all } = twoSources();
    kube.set("web", "from kube");
    kube.set("api", "from kube");
    file.set("web", "from file");
    expect(new Map(all.entries())).toEqual(
      new Map([
        ["web", "from file"],
        ["api", "from kube"],
      ]),
    );
    expect(new Set(all.values())).toEqual(new Set(["from file", "from kube"]));
    expect([all.name, all.size, all.get("web"), all.snapshot().size]).toEqual(["all", 2, "from file", 2]);
    expect(all.clashes()).toEqual(new Map([["web", ["file", "kube"]]]));
  });

  test("falls back to the next part when the winner goes, as one update", () => {
    const { graph, file, kube, all } = twoSources();
    file.set("web", "from file");
    kube.set("web", "from kube");
    const commit = graph.batch(() => file.delete("web"));
    expect(commit?.changesOf(all)).toEqual([{ type: "updated", key: "web", before: "from file", after: "from kube" }]);
    expect(all.clashes().size).toBe(0);
    kube.delete("web");
    expect(all.size).toBe(0);
  });

  test("says nothing when the loser of a clash changes, or when the heir says the same", () => {
    const { graph, file, kube, all } = twoSources();
    file.set("web", "same");
    kube.set("web", "other");
    expect(graph.batch(() => kube.set("web", "same"))?.collections).toEqual(["kube"]);
    expect(graph.batch(() => file.delete("web"))?.changesOf(all)).toEqual([]);
  });

  test("takes an equality of its own for what the heir says", () => {
    const graph = new Graph();
    const parts = [graph.input<string>("first"), graph.input<string>("second")] as const;
    const all = graph.union({ name: "all", parts, equals: (a, b) => a.toLowerCase() === b.toLowerCase() });
    parts[0].set("web", "SAME");
    parts[1].set("web", "same");
    parts[0].delete("web");
    expect(all.get("web")).toBe("SAME");
  });

  test("is synced only when all parts are", () => {
    const { file, kube, all } = twoSources();
    file.markSynced();
    expect(all.synced).toBe(false);
    kube.markSynced();
    expect(all.synced).toBe(true);
  });

  test("of no parts is empty and synced; created late, it starts filled", () => {
    const { graph, file, kube } = twoSources();
    file.set("web", "from file");
    kube.set("web", "from kube");
    const nothing = graph.union({ name: "nothing", parts: [] });
    expect([nothing.size, nothing.synced]).toEqual([0, true]);
    const late = graph.union({ name: "late", parts: [kube, file] });
    expect(late.get("web")).toBe("from kube");
    expect(late.clashes().get("web")).toEqual(["kube", "file"]);
  });
});
