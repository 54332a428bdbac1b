import { describe, expect, test } from "vitest";
import type { Commit } from "./collection.ts";
import { Graph } from "./graph.ts";

function numbersAndSum() {
  const graph = new Graph();
  const numbers = graph.input<number>("numbers");
  const more = graph.input<number>("more");
  const all = graph.union({ name: "all", parts: [numbers, more] });
  const doubled = graph.derive({
    name: "doubled",
    from: all,
    reads: { more },
    key: String,
    to: (value) => [value * 2],
  });
  return { graph, numbers, more, all, doubled };
}

describe("a batch", () => {
  test("settles once and reports all changes in one commit, in creation order", () => {
    const { graph, numbers, more, doubled } = numbersAndSum();
    const commits: Commit[] = [];
    graph.onCommit((commit) => commits.push(commit));
    const commit = graph.batch(() => {
      more.set("b", 2);
      numbers.set("a", 1);
    });
    expect(commits).toEqual([commit]);
    expect(commit?.sequence).toBe(1);
    expect(commit?.collections).toEqual(["numbers", "more", "all", "doubled"]);
    expect(commit?.changesOf(doubled)).toEqual([
      { type: "added", key: "2", after: 2 },
      { type: "added", key: "4", after: 4 },
    ]);
  });

  test("without changes makes no commit", () => {
    const { graph, numbers } = numbersAndSum();
    const commits: Commit[] = [];
    numbers.set("a", 1);
    graph.onCommit((commit) => commits.push(commit));
    expect(graph.batch(() => {})).toBeUndefined();
    expect(graph.batch(() => numbers.set("a", 1))).toBeUndefined();
    numbers.delete("never there");
    expect(commits).toEqual([]);
    expect(graph.batch(() => numbers.set("a", 2))?.sequence).toBe(2);
  });

  test("that throws applies nothing, and the next one starts clean", () => {
    const { graph, numbers, doubled } = numbersAndSum();
    const work = () => {
      numbers.set("a", 1);
      numbers.markSynced();
      throw new Error("half way");
    };
    expect(() => graph.batch(work)).toThrow("half way");
    expect([numbers.size, numbers.synced]).toEqual([0, false]);
    numbers.set("b", 2);
    expect([...doubled.values()]).toEqual([4]);
  });

  test("within a batch joins it; an inner batch that throws drops only its own writes", () => {
    const { graph, numbers } = numbersAndSum();
    const commit = graph.batch(() => {
      numbers.set("outer", 1);
      expect(graph.batch(() => numbers.set("inner", 2))).toBeUndefined();
      const failing = () => {
        numbers.set("lost", 3);
        throw new Error("inner");
      };
      expect(() => graph.batch(failing)).toThrow("inner");
      expect(numbers.size).toBe(0);
    });
    expect(commit?.changesOf(numbers).map(({ key }) => key)).toEqual(["inner", "outer"]);
  });
});

describe("a listener", () => {
  test("sees the settled state, and is not called after it is cancelled", () => {
    const { graph, numbers, doubled } = numbersAndSum();
    const seen: number[][] = [];
    const cancel = graph.onCommit(() => seen.push([...doubled.values()]));
    numbers.set("a", 1);
    cancel();
    cancel();
    numbers.set("a", 2);
    expect(seen).toEqual([[2]]);
  });

  test("that writes gets its commit after all listeners received the current one", () => {
    const { graph, numbers, more } = numbersAndSum();
    const heard: string[] = [];
    const answers: unknown[] = [];
    graph.onCommit(({ sequence }) => {
      if (sequence > 1) return;
      answers.push(graph.batch(() => more.set("b", 2)));
      more.set("c", 3);
      answers.push(more.size);
    });
    graph.onCommit(({ sequence, collections }) => heard.push(`${sequence}: ${collections[0]}`));
    const commit = graph.batch(() => numbers.set("a", 1));
    expect(commit?.sequence).toBe(1);
    expect(answers).toEqual([undefined, 0]);
    expect(heard).toEqual(["1: numbers", "2: more", "3: more"]);
  });

  test("added or cancelled during a delivery takes effect from then on", () => {
    const { graph, numbers } = numbersAndSum();
    const heard: string[] = [];
    graph.onCommit(({ sequence }) => {
      if (sequence > 1) return;
      cancelSecond();
      graph.onCommit((commit) => heard.push(`late ${commit.sequence}`));
    });
    const cancelSecond = graph.onCommit(({ sequence }) => heard.push(`second ${sequence}`));
    numbers.set("a", 1);
    numbers.set("a", 2);
    expect(heard).toEqual(["late 2"]);
  });

  test("that throws stops neither other listeners nor their writes; the batch throws the error in the end", () => {
    const { graph, numbers, more } = numbersAndSum();
    const heard: number[] = [];
    graph.onCommit(({ sequence }) => {
      more.set("again", 1);
      throw new Error(`no ${sequence}`);
    });
    graph.onCommit(({ sequence }) => heard.push(sequence));
    let thrown: unknown;
    try {
      numbers.set("a", 1);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(thrown).toMatchObject({ errors: [new Error("no 1"), new Error("no 2")] });
    expect(heard).toEqual([1, 2]);
    expect([numbers.size, more.size]).toEqual([1, 1]);
  });
});

describe("the graph", () => {
  test("describes its nodes in creation order", () => {
    const { graph, numbers } = numbersAndSum();
    graph.group({ name: "by-parity", from: numbers, keys: (value) => [String(value % 2)] });
    numbers.set("a", 1);
    numbers.markSynced();
    expect(graph.describe()).toEqual([
      { name: "numbers", kind: "input", size: 1, synced: true, inputs: [], reads: [] },
      { name: "more", kind: "input", size: 0, synced: false, inputs: [], reads: [] },
      { name: "all", kind: "union", size: 1, synced: false, inputs: ["numbers", "more"], reads: [] },
      { name: "doubled", kind: "derived", size: 1, synced: false, inputs: ["all"], reads: ["more"] },
      { name: "by-parity", kind: "group", size: 1, synced: true, inputs: ["numbers"], reads: [] },
    ]);
  });

  test("refuses a name twice, and collections of other graphs", () => {
    const { graph } = numbersAndSum();
    expect(() => graph.input("numbers")).toThrow("numbers is taken");
    const stranger = new Graph().input<number>("stranger");
    expect(() => graph.union({ name: "mixed", parts: [stranger] })).toThrow("stranger belongs to this graph");
  });
});

test("a commit that is kept does not change with later batches", () => {
  const graph = new Graph();
  const pods = graph.input<string>("pods");
  const first = graph.batch(() => pods.markSynced());
  graph.batch(() => pods.set("a", "1"));
  expect(first?.changesOf(pods)).toEqual([]);
});
