import { describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import type { Tracked } from "./collection.ts";
import { Graph } from "./graph.ts";

interface Service {
  readonly hosts: readonly string[];
  readonly port: number;
}

interface Route {
  readonly host: string;
  readonly target: string;
}

const routeKey = (route: Route) => route.host;

/** Services and pods; each service yields one route per host, with the address of the pod of that name. */
function mesh() {
  const graph = new Graph();
  const services = graph.input<Service>("services");
  const pods = graph.input<string>("pods");
  const runs: string[] = [];
  const routes = graph.derive({
    name: "routes",
    from: services,
    reads: { pods },
    key: routeKey,
    *to({ hosts, port }, reads, key): Iterable<Route> {
      runs.push(key);
      assert(port > 0, `${key} has a port`);
      for (const host of hosts) yield { host, target: `${reads.pods.get(host) ?? "nowhere"}:${port}` };
    },
  });
  const targets = () => Object.fromEntries(Array.from(routes.entries(), ([host, { target }]) => [host, target]));
  return { graph, services, pods, routes, runs, targets };
}

describe("a derived collection", () => {
  test("changes with its input", () => {
    const { services, targets } = mesh();
    services.set("web", { hosts: ["a", "b"], port: 80 });
    expect(targets()).toEqual({ a: "nowhere:80", b: "nowhere:80" });
    services.set("web", { hosts: ["b", "c"], port: 81 });
    expect(targets()).toEqual({ b: "nowhere:81", c: "nowhere:81" });
    services.delete("web");
    expect(targets()).toEqual({});
  });

  test("runs again only for inputs that read a changed key, even if that key was absent", () => {
    const { services, pods, runs, targets } = mesh();
    services.set("web", { hosts: ["a"], port: 80 });
    services.set("shop", { hosts: ["b"], port: 80 });
    runs.length = 0;
    pods.set("a", "10.0.0.1");
    pods.set("unread", "10.0.0.9");
    expect(runs).toEqual(["web"]);
    expect(targets()).toEqual({ a: "10.0.0.1:80", b: "nowhere:80" });
    pods.delete("a");
    expect(runs).toEqual(["web", "web"]);
    services.delete("web");
    pods.set("a", "10.0.0.2");
    expect(runs).toEqual(["web", "web"]);
  });

  test("an equal output stops the propagation, and the old object stays", () => {
    const { graph, services, routes } = mesh();
    services.set("web", { hosts: ["a"], port: 80 });
    const before = routes.get("a");
    const view = routes.snapshot();
    const commit = graph.batch(() => services.set("web", { hosts: ["a", "a"], port: 80 }));
    expect(commit?.collections).toEqual(["services"]);
    expect(routes.get("a")).toBe(before);
    expect(routes.snapshot()).toBe(view);
  });

  test("a custom equality decides what counts as a change", () => {
    const graph = new Graph();
    const numbers = graph.input<number>("numbers");
    const rounded = graph.derive({
      name: "rounded",
      from: numbers,
      key: () => "only",
      to: (value) => [value],
      equals: (a, b) => Math.round(a) === Math.round(b),
    });
    numbers.set("x", 1.1);
    numbers.set("x", 1.2);
    expect(rounded.get("only")).toBe(1.1);
  });

  test("if two inputs yield one key, the smallest input wins, and the other takes over when it goes", () => {
    const { services, targets } = mesh();
    services.set("b", { hosts: ["x"], port: 2 });
    services.set("a", { hosts: ["x"], port: 1 });
    services.set("c", { hosts: ["x"], port: 3 });
    expect(targets()).toEqual({ x: "nowhere:1" });
    services.set("a", { hosts: [], port: 1 });
    expect(targets()).toEqual({ x: "nowhere:2" });
    services.delete("b");
    expect(targets()).toEqual({ x: "nowhere:3" });
  });

  test("a takeover with equal content changes nothing", () => {
    const { graph, services, routes } = mesh();
    services.set("a", { hosts: ["x"], port: 1 });
    services.set("b", { hosts: ["x"], port: 1 });
    const before = routes.get("x");
    const commit = graph.batch(() => services.delete("a"));
    expect(commit?.changesOf(routes)).toEqual([]);
    expect(routes.get("x")).toBe(before);
  });

  test("within one input the first output of a key wins", () => {
    const graph = new Graph();
    const words = graph.input<readonly string[]>("words");
    const initials = graph.derive({
      name: "initials",
      from: words,
      key: (word: string) => word.charAt(0),
      to: (list) => list,
    });
    words.set("list", ["apple", "avocado"]);
    expect([...initials.values()]).toEqual(["apple"]);
  });

  test("created late, it starts filled, and no commit lists the initial entries", () => {
    const graph = new Graph();
    const numbers = graph.input<number>("numbers");
    numbers.set("a", 1);
    numbers.markSynced();
    const doubled = graph.derive({ name: "doubled", from: numbers, key: String, to: (value) => [value * 2] });
    expect([...doubled.values()]).toEqual([2]);
    expect(doubled.synced).toBe(true);
    const commit = graph.batch(() => numbers.set("b", 2));
    expect(commit?.changesOf(doubled)).toEqual([{ type: "added", key: "4", after: 4 }]);
    expect(commit?.newlySynced.size).toBe(0);
  });

  test("is synced when its input and all collections that it reads are", () => {
    const { graph, services, pods, routes } = mesh();
    services.markSynced();
    expect(routes.synced).toBe(false);
    const commit = graph.batch(() => pods.markSynced());
    expect(routes.synced).toBe(true);
    expect(commit?.newlySynced).toEqual(new Set(["pods", "routes"]));
  });
});

describe("a derivation that throws", () => {
  test("keeps its last good outputs and is listed until it succeeds", () => {
    const { graph, services, targets } = mesh();
    services.set("web", { hosts: ["a"], port: 80 });
    services.set("web", { hosts: ["b"], port: 0 });
    expect(targets()).toEqual({ a: "nowhere:80" });
    expect(graph.problems).toMatchObject([
      { derivation: "routes", input: "web", cause: { message: "web has a port" } },
    ]);
    services.set("web", { hosts: ["b"], port: 81 });
    expect(targets()).toEqual({ b: "nowhere:81" });
    expect(graph.problems).toEqual([]);
  });

  test("yields nothing for a new input, and the problem is cleared when the input goes", () => {
    const { graph, services, targets } = mesh();
    services.set("web", { hosts: ["a"], port: 0 });
    services.set("api", { hosts: ["a"], port: 0 });
    expect(targets()).toEqual({});
    expect(graph.problems.map(({ input }) => input)).toEqual(["api", "web"]);
    services.delete("web");
    services.delete("api");
    expect(graph.problems).toEqual([]);
  });

  test("runs again when an entry changes that it read before it threw", () => {
    const graph = new Graph();
    const names = graph.input<string>("names");
    const ages = graph.input<number>("ages");
    const people = graph.derive({
      name: "people",
      from: names,
      reads: { ages },
      key: (person: { name: string; age: number }) => person.name,
      *to(name, reads) {
        const age = reads.ages.get(name);
        assert(age !== undefined, "the age is known");
        yield { name, age };
      },
    });
    names.set("1", "Ada");
    expect(graph.problems).toHaveLength(1);
    ages.set("Ada", 36);
    expect(graph.problems).toEqual([]);
    expect([...people.values()]).toEqual([{ name: "Ada", age: 36 }]);
  });

  test("throws if it writes, creates collections, or yields undefined", () => {
    const graph = new Graph();
    const from = graph.input<string>("from");
    const deeds: Record<string, () => unknown> = {
      writes: () => from.set("x", "writes"),
      creates: () => graph.input("another"),
      yields: () => undefined,
    };
    graph.derive({ name: "bad", from, key: String, to: (deed) => [deeds[deed]?.()] });
    graph.batch(() => {
      for (const deed of Object.keys(deeds)) from.set(deed, deed);
    });
    expect(graph.problems.map(({ cause }) => cause.message)).toEqual([
      "a derivation does not change the graph",
      expect.stringContaining("a derivation wrote"),
      "a collection holds no undefined values",
    ]);
  });
});

describe("tracked reads", () => {
  test("of all entries run the derivation again on any change", () => {
    const graph = new Graph();
    const totals = graph.input<string>("totals");
    const numbers = graph.input<number>("numbers");
    const sums = graph.derive({
      name: "sums",
      from: totals,
      reads: { numbers },
      key: (sum: { name: string; sum: number }) => sum.name,
      to: (name, reads) => [{ name, sum: Iterator.from(reads.numbers.values()).reduce((a, b) => a + b, 0) }],
    });
    totals.set("all", "all");
    numbers.set("a", 1);
    numbers.set("b", 2);
    expect(sums.get("all")?.sum).toBe(3);
    numbers.delete("a");
    expect(sums.get("all")?.sum).toBe(2);
  });

  test("after the run are refused", () => {
    const graph = new Graph();
    const from = graph.input<number>("from");
    let leaked: Tracked<number> | undefined;
    graph.derive({
      name: "leaky",
      from,
      reads: { from },
      key: String,
      to: (value, reads) => {
        leaked = reads.from;
        return [value];
      },
    });
    from.set("a", 1);
    expect(() => leaked?.get("a")).toThrow("only while it runs");
  });
});
