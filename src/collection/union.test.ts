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
  test("holds the entries of its parts, and the first part wins a clash", () => {
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

  test("has no clash left when one part remains", () => {
    const { file, kube, all } = twoSources();
    file.set("web", "from file");
    kube.set("web", "from kube");
    all.replaceParts([kube]);
    expect([all.get("web"), all.clashes().size]).toEqual(["from kube", 0]);
  });

  test("makes no change when the loser of a clash changes, or when the next part has an equal value", () => {
    const { graph, file, kube, all } = twoSources();
    file.set("web", "same");
    kube.set("web", "other");
    expect(graph.batch(() => kube.set("web", "same"))?.collections).toEqual(["kube"]);
    expect(graph.batch(() => file.delete("web"))?.changesOf(all)).toEqual([]);
  });

  test("uses a custom equality when the next part takes over", () => {
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

  test("adds and removes a late input in the same batch", () => {
    const { graph, file, kube, all } = twoSources();
    file.set("web", "from file");
    kube.set("web", "from kube");
    const etcd = graph.input<string>("etcd");
    graph.batch(() => {
      etcd.set("web", "from etcd");
      etcd.set("api", "from etcd");
      all.replaceParts([etcd, file, kube]);
    });
    expect([all.get("web"), all.get("api")]).toEqual(["from etcd", "from etcd"]);
    expect(all.clashes().get("web")).toEqual(["etcd", "file", "kube"]);
    const commit = graph.batch(() => {
      all.replaceParts([kube, file]);
      graph.remove(etcd);
    });
    expect(commit?.changesOf(all)).toEqual([
      { type: "removed", key: "api", before: "from etcd" },
      { type: "updated", key: "web", before: "from etcd", after: "from kube" },
    ]);
    expect(graph.describe().map(({ name }) => name)).toEqual(["file", "kube", "all"]);
  });

  test("follows an input that was created late", () => {
    const { graph, file, all } = twoSources();
    const late = graph.input<string>("late");
    all.replaceParts([file, late]);
    expect(graph.batch(() => late.set("web", "late"))?.changesOf(all)).toMatchObject([{ type: "added", key: "web" }]);
  });

  test("that was synced stays synced, also with new parts", () => {
    const { graph, file, kube, all } = twoSources();
    graph.batch(() => [file, kube].forEach((part) => part.markSynced()));
    all.replaceParts([file, kube, graph.input<string>("late")]);
    expect(all.synced).toBe(true);
  });

  test("becomes synced when no unsynced part remains", () => {
    const { file, all } = twoSources();
    file.markSynced();
    all.replaceParts([file]);
    expect(all.synced).toBe(true);
  });
});

describe("an input that is removed", () => {
  test("frees its name for another collection", () => {
    const { graph, file, kube, all } = twoSources();
    graph.batch(() => {
      all.replaceParts([file]);
      graph.remove(kube);
    });
    const again = graph.input<string>("kube");
    all.replaceParts([file, again]);
    again.set("web", "again");
    expect(all.get("web")).toBe("again");
  });

  test("must have no dependants left", () => {
    const { graph, kube } = twoSources();
    expect(() => graph.remove(kube)).toThrow("nothing follows from kube any more");
  });

  test("must be an input, not a derived collection", () => {
    const { graph, all } = twoSources();
    expect(() => graph.remove(all)).toThrow("all is an input of this graph");
  });
});
