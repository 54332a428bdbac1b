import { describe, expect, test } from "vitest";
import { type CellFault, withFaultyCells } from "../testing/graph/faulty-cells.ts";
import { changesBetween } from "./changes-between.ts";
import type { Collection, Commit } from "./collection.ts";
import { Graph } from "./graph.ts";

interface Pod {
  readonly name: string;
  readonly app: string;
  readonly port: number;
}

const places = ["key", "to", "group", "equality of an input", "equality of a derivation", "equality of a union"];

/** A graph with a node of every kind. Every function that a user of the graph may pass calls `fail`. */
function podGraph(fail: (place: string) => void = () => undefined) {
  const graph = new Graph();
  const equalUnless = (place: string) => (a: Pod, b: Pod) => {
    fail(place);
    return a.name === b.name && a.app === b.app && a.port === b.port;
  };
  const ours = graph.input<Pod>("ours", { equals: equalUnless("equality of an input") });
  const theirs = graph.input<Pod>("theirs");
  const ports = graph.input<number>("ports");
  const all = graph.union({ name: "all", parts: [ours, theirs], equals: equalUnless("equality of a union") });
  const byApp = graph.group({
    name: "byApp",
    from: all,
    keys: ({ app }) => {
      fail("group");
      return [app];
    },
  });
  const moved = graph.derive({
    name: "moved",
    from: all,
    reads: { ports },
    key: (pod: Pod) => {
      fail("key");
      return pod.app;
    },
    to: (pod, reads) => {
      fail("to");
      return [{ ...pod, port: reads.ports.get(pod.app) ?? pod.port }];
    },
    equals: equalUnless("equality of a derivation"),
  });
  const sizes = graph.derive({
    name: "sizes",
    from: byApp,
    key: (size: { app: string; count: number }) => size.app,
    to: (pods, _reads, app) => [{ app, count: pods.length }],
  });
  const collections: readonly Collection<unknown>[] = [ours, theirs, ports, all, byApp, moved, sizes];
  return { graph, ours, theirs, ports, collections };
}

type PodGraph = ReturnType<typeof podGraph>;

function pod(name: string, app: string, port: number): readonly [string, Pod] {
  return [name, { name, app, port }];
}

/** Fills a mesh. The edits add, change, move and remove entries in every collection. */
function fill({ graph, ours, theirs, ports }: PodGraph): void {
  graph.batch(() => {
    ours.replaceAll([pod("0", "first", 0), pod("a", "web", 1), pod("b", "web", 2), pod("c", "db", 3)]);
    theirs.replaceAll([pod("c", "db", 4), pod("d", "db", 5)]);
    ports.set("db", 5432);
  });
}

function edit({ graph, ours, theirs, ports }: PodGraph, round: number): void {
  graph.batch(() => {
    ours.set(...pod("0", "first", round));
    ours.set(...pod("a", round === 1 ? "web" : "db", 10 + round));
    ours.set(...pod("b", `app${round}`, 2));
    ours.delete("c");
    theirs.set(...pod("c", "db", 40 + round));
    theirs.set(...pod("d", "web", 20 + round));
    theirs.set(...pod(`new${round}`, "cache", 6));
    ports.set("db", 5000 + round);
    for (const input of [ours, theirs, ports]) input.markSynced();
  });
}

function contentsOf({ collections }: PodGraph): readonly unknown[] {
  return collections.map((collection) => [
    collection.name,
    collection.synced,
    [...collection.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

/** The same inputs in a new graph without any failure. */
function fresh({ ours, theirs, ports }: PodGraph): PodGraph {
  const made = podGraph();
  made.graph.batch(() => {
    made.ours.replaceAll(ours.entries());
    made.theirs.replaceAll(theirs.entries());
    made.ports.replaceAll(ports.entries());
    if (ours.synced) for (const input of [made.ours, made.theirs, made.ports]) input.markSynced();
  });
  return made;
}

function expectEither(shown: unknown, before: unknown, after: unknown): void {
  expect([before, after]).toContainEqual(shown);
}

function swallow(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

describe("a user function that throws", () => {
  test.each(places)("does not stop later batches from settling: %s", (place) => {
    let armed = "";
    const pods = podGraph((asked) => {
      if (asked === armed) throw new Error(`planted in ${place}`);
    });
    fill(pods);
    armed = place;
    edit(pods, 1);
    expect(pods.graph.problems).toContainEqual(
      expect.objectContaining({ cause: expect.objectContaining({ message: `planted in ${place}` }) as unknown }),
    );
    armed = "";
    edit(pods, 2);
    pods.theirs.delete("new1");
    pods.theirs.set(...pod("new1", "cache", 7));
    expect(pods.graph.problems).toEqual([]);
    expect(contentsOf(pods)).toEqual(contentsOf(fresh(pods)));
  });

  test("is listed even if the thrown value has no text", () => {
    const pods = podGraph((place) => {
      // oxlint-disable-next-line typescript/only-throw-error -- JavaScript may throw anything
      if (place === "to") throw Object.create(null);
    });
    fill(pods);
    expect(pods.graph.problems.map(({ derivation }) => derivation)).toContain("moved");
  });

  test("counts as a difference if the function is an equality", () => {
    const graph = new Graph();
    const numbers = graph.input<number>("numbers", {
      equals: () => {
        throw new Error("cannot compare");
      },
    });
    numbers.set("a", 1);
    const commit = graph.batch(() => numbers.set("a", 2));
    expect(commit?.changesOf(numbers)).toEqual([{ type: "updated", key: "a", before: 1, after: 2 }]);
    expect(graph.problems).toMatchObject([{ derivation: "numbers", input: "a", cause: { message: "cannot compare" } }]);
    numbers.delete("a");
    expect(graph.problems).toEqual([]);
  });
});

describe("a listener that throws", () => {
  test("stops neither later batches nor writes of listeners from settling", () => {
    const pods = podGraph();
    const cancel = pods.graph.onCommit(() => {
      pods.ports.set("web", 8080);
      throw new Error("planted in a listener");
    });
    expect(() => fill(pods)).toThrow("planted in a listener");
    cancel();
    edit(pods, 1);
    expect(pods.ports.get("web")).toBe(8080);
    expect(contentsOf(pods)).toEqual(contentsOf(fresh(pods)));
  });
});

describe("a write that is refused", () => {
  test("stops neither the other writes of its batch nor later batches from settling", () => {
    const pods = podGraph();
    const refused = () =>
      pods.graph.batch(() => {
        pods.graph.remove(pods.ours);
        pods.theirs.set(...pod("a", "web", 1));
      });
    expect(refused).toThrow("nothing follows from ours any more");
    expect(pods.theirs.size).toBe(1);
    fill(pods);
    edit(pods, 1);
    expect(contentsOf(pods)).toEqual(contentsOf(fresh(pods)));
  });
});

/** More than one edit changes in all collections together. */
const everyCall = Array.from({ length: 40 }, (_, at) => at);

describe("a settle that throws in the graph's own machinery", () => {
  test.each<[string, boolean]>([
    ["once", false],
    ["again and again", true],
  ])("%s shows no collection half-settled, and later batches settle everything", (_, lasting) => {
    const planted = everyCall.filter((at) => isMended({ at, lasting }));
    expect(planted.length).toBeGreaterThan(15);
    expect(planted.length).toBeLessThan(everyCall.length);
  });
});

/**
 * Injects a fault into one edit and checks the recovery. Returns false if the edit made too few changes to reach the
 * fault.
 */
function isMended(fault: CellFault): boolean {
  const [pods, sound] = [podGraph(), podGraph()];
  for (const each of [pods, sound]) fill(each);
  const before = contentsOf(pods);
  edit(sound, 1);
  const views = pods.collections.map((collection) => collection.snapshot());
  let failure: unknown;
  let commit: Commit | undefined;
  const cancel = pods.graph.onCommit((told) => {
    commit = told;
  });
  const thrown = withFaultyCells(fault, () => {
    failure = swallow(() => edit(pods, 1));
  });
  cancel();
  for (const [index, collection] of pods.collections.entries()) {
    expect(commit?.changesOf(collection) ?? []).toEqual(changesBetween(views[index], collection.snapshot()));
  }
  const after = contentsOf(sound);
  expect(failure instanceof AggregateError).toBe(thrown);
  // A lasting fault leaves collections unchanged; their dependants are derived from that unchanged content.
  const shown = contentsOf(pods);
  if (fault.lasting) for (const index of [0, 1, 2]) expectEither(shown[index], before[index], after[index]);
  else expectEither(shown, after, after);
  expect(pods.graph.problems.length > 0).toBe(thrown && fault.lasting);
  // The next batch is unrelated: it touches nothing that the failed settle left over.
  pods.ports.set("unrelated", 1);
  expect(pods.graph.problems).toEqual([]);
  expect(contentsOf(pods)).toEqual(contentsOf(fresh(pods)));
  for (const each of [pods, sound]) edit(each, 2);
  pods.ports.delete("unrelated");
  expect(contentsOf(pods)).toEqual(contentsOf(sound));
  return thrown;
}
