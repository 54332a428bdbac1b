import { describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { Graph } from "./graph.ts";

interface Pod {
  readonly ip: string;
  readonly apps: readonly string[];
}

function podsByApp() {
  const graph = new Graph();
  const pods = graph.input<Pod>("pods");
  const byApp = graph.group({
    name: "pods-by-app",
    from: pods,
    keys: ({ ip, apps }) => {
      assert(ip !== "", "a pod has an address");
      return apps;
    },
  });
  const ips = (app: string) => byApp.get(app)?.map(({ ip }) => ip);
  return { graph, pods, byApp, ips };
}

describe("a group", () => {
  test("holds its members in the order of their keys, whatever the order of arrival", () => {
    const { pods, ips } = podsByApp();
    for (const key of ["c", "a", "d", "b"]) pods.set(key, { ip: key, apps: ["web"] });
    expect(ips("web")).toEqual(["a", "b", "c", "d"]);
  });

  test("may share members with others, and takes a member once", () => {
    const { pods, ips } = podsByApp();
    pods.set("a", { ip: "1", apps: ["web", "api", "web"] });
    expect([ips("web"), ips("api")]).toEqual([["1"], ["1"]]);
  });

  test("without members does not exist", () => {
    const { pods, byApp, ips } = podsByApp();
    pods.set("a", { ip: "1", apps: ["web"] });
    pods.set("b", { ip: "2", apps: ["web"] });
    pods.set("a", { ip: "1", apps: ["api"] });
    expect([ips("web"), ips("api")]).toEqual([["2"], ["1"]]);
    pods.delete("b");
    expect([...byApp.entries()].map(([app]) => app)).toEqual(["api"]);
    pods.set("a", { ip: "1", apps: [] });
    expect(byApp.size).toBe(0);
  });

  test("keeps its array while its members stay, and never changes an array that a caller has", () => {
    const { graph, pods, byApp } = podsByApp();
    pods.set("a", { ip: "1", apps: ["web"] });
    const before = byApp.get("web");
    const commit = graph.batch(() => pods.set("b", { ip: "2", apps: ["api"] }));
    expect(commit?.changesOf(byApp).map(({ key }) => key)).toEqual(["api"]);
    expect(byApp.get("web")).toBe(before);
    pods.set("a", { ip: "3", apps: ["web"] });
    pods.set("c", { ip: "4", apps: ["web"] });
    expect(before).toEqual([{ ip: "1", apps: ["web"] }]);
    expect(byApp.get("web")).toHaveLength(2);
  });

  test("is synced with its source, and starts filled when created late", () => {
    const { graph, pods, byApp } = podsByApp();
    pods.set("a", { ip: "1", apps: ["web"] });
    expect(byApp.synced).toBe(false);
    pods.markSynced();
    expect(byApp.synced).toBe(true);
    const late = graph.group({ name: "late", from: pods, keys: (_, key) => [key] });
    expect([...late.values()]).toEqual([[{ ip: "1", apps: ["web"] }]]);
    expect(late.synced).toBe(true);
  });

  test("keeps a member as it last was while its key function throws", () => {
    const { graph, pods, byApp, ips } = podsByApp();
    pods.set("a", { ip: "1", apps: ["web"] });
    const before = byApp.get("web");
    pods.set("a", { ip: "", apps: ["api"] });
    expect(byApp.get("web")).toBe(before);
    expect(graph.problems).toMatchObject([{ derivation: "pods-by-app", input: "a" }]);
    pods.set("a", { ip: "1", apps: ["web"] });
    expect(byApp.get("web")).toBe(before);
    expect(graph.problems).toEqual([]);
    pods.set("a", { ip: "", apps: ["web"] });
    pods.delete("a");
    expect([ips("web"), graph.problems]).toEqual([undefined, []]);
  });
});
