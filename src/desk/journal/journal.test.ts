import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Journal } from "./journal.ts";
import type { JournalObject } from "./recorded-change.ts";
import type { RecordedPush } from "./recorded-push.ts";

const object = (name: string, namespace = "shop"): JournalObject => ({
  kind: "VirtualService",
  namespace,
  name,
  operation: "updated",
  source: "file:mesh",
  reference: "mesh/a.yaml:3",
});

function rig(limits = { changes: 5, endpointChanges: 2, pushes: 4 }) {
  const clock = new FakeClock();
  const queue = { isEmpty: true };
  const journal = new Journal({
    now: () => clock.now(),
    start: "s",
    isDispatched: () => queue.isEmpty,
    limits,
  });
  const edit = (sequence: number, endpointsOnly = false) => {
    journal.committed(sequence, [object(`vs-${sequence}`)]);
    journal.requested(sequence, { endpointsOnly });
  };
  const push = (number: number, commits: readonly number[]) =>
    journal.pushStarted({ number, commits, debouncedMs: 10, durationMs: 2, reasons: new Map([["config", 1]]) });
  return { clock, queue, journal, edit, push };
}

const rejection = (message: string) => ({ type: "LDS", message, resources: ["l"], objects: ["Gateway/shop/g"] });
const range = (first: number, last = first) => [{ first, last }];

function pushOf(journal: Journal, id: string): RecordedPush | undefined {
  const stage = journal.find(id)?.stage;
  return stage?.type === "pushed" ? stage.push : undefined;
}

describe("a change in the journal", () => {
  test("goes from its commit over the push to the answers of proxies", () => {
    const { clock, journal, edit, push } = rig();
    edit(1);
    expect(journal.find("s-1")?.stage).toEqual({ type: "waiting" });
    clock.advance(10);
    push(1, [1]);
    for (let proxy = 0; proxy < 4; proxy++) journal.pushesOwed(range(1));
    const response = { node: "p", resources: 2, removed: 1, bytes: 100, repeats: [], ms: 1, pushes: range(1) };
    journal.responseSent({ ...response, type: "RDS" });
    journal.responseSent({ ...response, type: "RDS" });
    clock.advance(20);
    journal.pushesEnded(range(1), "acknowledged");
    clock.advance(30);
    journal.pushesEnded(range(1), "rejected");
    journal.pushesEnded(range(1), "disconnected");
    const recorded = pushOf(journal, "s-1");
    expect(recorded).toMatchObject({ owed: 4, behind: 1, lastAckAt: 30 });
    expect(recorded?.ended).toEqual({ acknowledged: 1, rejected: 1, disconnected: 1 });
    expect(recorded?.types.get("RDS")).toEqual({ responses: 2, resources: 4, removed: 2, bytes: 200 });
    expect(recorded?.latencies.quantile(0.5)).toBeCloseTo(20, 0);
  });

  test("shares a push with the other changes of its debounce time, and each names all of them", () => {
    const { journal, edit, push } = rig();
    edit(1);
    edit(2);
    push(1, [1, 2]);
    expect(pushOf(journal, "s-1")).toBe(pushOf(journal, "s-2"));
    expect(pushOf(journal, "s-1")?.changes).toEqual(["s-1", "s-2"]);
  });

  test("belongs to the first push that contains it", () => {
    const { journal, edit, push } = rig();
    edit(1);
    edit(2);
    push(1, [1, 2]);
    push(2, [2]);
    expect(pushOf(journal, "s-2")?.facts.number).toBe(1);
  });

  test("without effect on proxies is not pushed", () => {
    const { journal, push } = rig();
    journal.committed(1, [object("a")]);
    push(1, []);
    expect(journal.find("s-1")?.stage).toEqual({ type: "not pushed" });
  });

  test("stays with the reason of a failed push until a push succeeds", () => {
    const { journal, edit, push } = rig();
    edit(1);
    journal.pushFailed(new Error("no memory"));
    expect(journal.find("s-1")?.stage).toEqual({ type: "failed", reason: "no memory" });
    push(1, [1]);
    expect(pushOf(journal, "s-1")?.facts.number).toBe(1);
  });

  test("is not settled before its push has reached all streams", () => {
    const { journal, edit, push, queue } = rig();
    queue.isEmpty = false;
    edit(1);
    push(1, [1]);
    const recorded = pushOf(journal, "s-1");
    expect(recorded && journal.isDispatched(recorded)).toBe(false);
    queue.isEmpty = true;
    expect(recorded && journal.isDispatched(recorded)).toBe(true);
  });

  test("is touched once per reading, by commits, pushes, responses and answers", () => {
    const { journal, edit, push } = rig();
    edit(1);
    const taken = () => journal.takeTouched().map(({ id }) => id);
    expect(taken()).toEqual(["s-1"]);
    expect(taken()).toEqual([]);
    push(1, [1]);
    expect(taken()).toEqual(["s-1"]);
    journal.pushesOwed(range(1));
    expect(taken()).toEqual(["s-1"]);
  });

  test("of another start of the server is not found", () => {
    const { journal, edit } = rig();
    edit(1);
    expect(journal.find("t-1")).toBeUndefined();
    expect(journal.find("s-x")).toBeUndefined();
  });
});

describe("the journal is bounded", () => {
  test("it keeps the newest changes, and endpoints alone push out only endpoints beyond their share", () => {
    const { journal, edit } = rig();
    edit(1);
    for (const sequence of [2, 3, 4, 5, 6, 7]) edit(sequence, true);
    expect(journal.changes.map(({ id }) => id)).toEqual(["s-7", "s-6", "s-1"]);
    for (const sequence of [8, 9, 10]) edit(sequence);
    expect(journal.changes.map(({ id }) => id)).toEqual(["s-10", "s-9", "s-8", "s-7", "s-6"]);
  });

  test("a proxy that is thousands of pushes behind costs no more than the kept pushes", () => {
    const { journal, edit, push } = rig();
    for (const number of [1, 2, 3, 4, 5, 6]) {
      edit(number);
      push(number, [number]);
    }
    journal.pushesOwed(range(1, 1_000_000_000).map(({ first }) => ({ first, last: 6 })));
    expect(journal.pushes.map(({ owed }) => owed)).toEqual([1, 1, 1, 1]);
  });

  test("a change keeps 200 objects, and the number of all by namespace", () => {
    const { journal } = rig();
    const objects = Array.from({ length: 300 }, (_, i) => object(`o-${i}`, i % 3 === 0 ? "bank" : "shop"));
    journal.committed(1, objects);
    const change = journal.find("s-1");
    expect(change?.objects).toHaveLength(200);
    expect(change?.total).toBe(300);
    expect(change?.countByNamespace).toEqual(new Map(Object.entries({ bank: 100, shop: 200 })));
  });

  test("a push keeps 20 different rejections with ten nodes each, and counts the others", () => {
    const { journal, edit, push } = rig();
    edit(1);
    push(1, [1]);
    for (let proxy = 0; proxy < 30; proxy++) journal.rejected(`p-${proxy}`, range(1), [rejection("bad port")]);
    for (let i = 0; i < 25; i++) journal.rejected("p-0", range(1), [rejection(`reason ${i}`)]);
    const recorded = pushOf(journal, "s-1");
    expect(recorded?.rejections).toHaveLength(20);
    expect(recorded?.rejectionCount).toBe(26);
    expect(recorded?.rejections[0]).toMatchObject({ message: "bad port", proxies: 30 });
    expect(recorded?.rejections[0]?.nodes).toHaveLength(10);
  });
});

test("pushes are counted per minute, and old minutes are forgotten", () => {
  const { clock, journal, push } = rig();
  push(1, []);
  push(2, []);
  clock.advance(60_000);
  push(3, []);
  expect(journal.perMinute().slice(-2)).toEqual([2, 1]);
  clock.advance(31 * 60_000);
  expect(journal.perMinute().every((count) => count === 0)).toBe(true);
});

test("the journal keeps a bounded number of touched changes while no desk takes them", () => {
  const { journal, edit, push } = rig();
  for (let sequence = 1; sequence <= 1_000; sequence++) {
    edit(sequence);
    push(sequence, [sequence]);
    journal.pushesOwed(range(sequence));
    journal.pushesEnded(range(sequence), "acknowledged");
  }
  expect(journal.touchedCount).toBeLessThanOrEqual(10);
  expect(journal.takeTouched().map(({ id }) => id)).toEqual(["s-996", "s-997", "s-998", "s-999", "s-1000"]);
  expect(journal.touchedCount).toBe(0);
});
