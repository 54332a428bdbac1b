import { describe, expect, test } from "vitest";
import { Graph } from "./graph.ts";

interface Pod {
  readonly ip: string;
  readonly revision: number;
}

describe("an input", () => {
  test("shows the entries that were set and not deleted", () => {
    const pods = new Graph().input<Pod>("pods");
    pods.set("a", { ip: "10.0.0.1", revision: 1 });
    pods.set("b", { ip: "10.0.0.2", revision: 1 });
    pods.delete("a");
    pods.delete("never there");
    expect([...pods.entries()]).toEqual([["b", { ip: "10.0.0.2", revision: 1 }]]);
    expect([...pods.values()]).toEqual([{ ip: "10.0.0.2", revision: 1 }]);
    expect([pods.name, pods.size, pods.get("a")]).toEqual(["pods", 1, undefined]);
    expect(pods.snapshot().get("b")).toBe(pods.get("b"));
  });

  test("writes of a batch show when it ends, and the last write of a key counts", () => {
    const graph = new Graph();
    const pods = graph.input<number>("pods");
    pods.set("a", 1);
    const commit = graph.batch(() => {
      pods.set("a", 2);
      pods.delete("a");
      pods.set("a", 3);
      pods.set("b", 1);
      pods.delete("b");
      expect(pods.get("a")).toBe(1);
    });
    expect(commit?.changesOf(pods)).toEqual([{ type: "updated", key: "a", before: 1, after: 3 }]);
  });

  test("replaceAll changes only the entries that differ", () => {
    const graph = new Graph();
    const pods = graph.input<Pod>("pods");
    const kept = { ip: "10.0.0.1", revision: 1 };
    pods.replaceAll([
      ["kept", kept],
      ["gone", kept],
    ]);
    const commit = graph.batch(() => {
      pods.set("before", kept);
      pods.replaceAll([["kept", { ...kept }]]);
      pods.set("after", kept);
    });
    expect(commit?.changesOf(pods)).toEqual([
      { type: "added", key: "after", after: kept },
      { type: "removed", key: "gone", before: kept },
    ]);
    expect(pods.get("kept")).toBe(kept);
  });

  test("replaceAll with nothing empties it", () => {
    const pods = new Graph().input<number>("pods");
    pods.set("a", 1);
    pods.replaceAll([]);
    expect(pods.size).toBe(0);
  });

  test("a custom equality decides what counts as a change", () => {
    const graph = new Graph();
    const pods = graph.input<Pod>("pods", { equals: (a, b) => a.revision === b.revision });
    pods.set("a", { ip: "10.0.0.1", revision: 1 });
    expect(graph.batch(() => pods.set("a", { ip: "10.0.0.9", revision: 1 }))).toBeUndefined();
    expect(pods.get("a")?.ip).toBe("10.0.0.1");
  });

  test("becomes synced once it is marked so, and that alone is a commit", () => {
    const graph = new Graph();
    const pods = graph.input<Pod>("pods");
    expect(pods.synced).toBe(false);
    const commit = graph.batch(() => pods.markSynced());
    expect(commit?.collections).toEqual(["pods"]);
    expect(commit?.newlySynced).toEqual(new Set(["pods"]));
    expect(pods.synced).toBe(true);
    expect(graph.batch(() => pods.markSynced())).toBeUndefined();
  });

  test("refuses undefined, which means absent", () => {
    const pods = new Graph().input<unknown>("pods");
    expect(() => pods.set("a", undefined)).toThrow("no undefined values");
  });
});
