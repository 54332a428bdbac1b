import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { turns } from "../../../testing/until.ts";
import { ExportQueue } from "./export-queue.ts";
import type { Outcome } from "./otlp-client.ts";

const accepted: Outcome = { type: "accepted", rejected: 0, reason: "" };
const unavailable: Outcome = { type: "unavailable", reason: "no", afterMs: 0 };

/** A queue of numbers whose collector gives these outcomes, then accepts everything. */
function rig(outcomes: readonly (Outcome | Promise<Outcome>)[] = [], capacity = 10) {
  const clock = new FakeClock();
  const script = [...outcomes];
  const requests: (readonly number[])[] = [];
  const counts = { sent: 0, dropped: 0 };
  const queue = new ExportQueue<number>({
    clock,
    capacity,
    batch: 4,
    attempts: 3,
    delayMs: 100,
    weightOf: () => 1,
    async send(items) {
      requests.push(items);
      return await (script.shift() ?? accepted);
    },
    onSent: (count) => (counts.sent += count),
    onDropped: (count) => (counts.dropped += count),
    onOutcome: () => undefined,
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turns(5);
  };
  return { clock, queue, requests, counts, pass };
}

test("items that arrive together leave in one request, and the rest in the next", async () => {
  const { queue, requests, counts, pass } = rig();
  queue.add([1]);
  queue.add([2, 3, 4, 5]);
  await pass(99);
  expect(requests).toEqual([]);
  await pass(1);
  expect(requests).toEqual([[1, 2, 3, 4]]);
  await pass(100);
  expect(requests).toEqual([[1, 2, 3, 4], [5]]);
  expect(counts).toEqual({ sent: 5, dropped: 0 });
});

test("an unavailable collector gets the same request again, after growing pauses", async () => {
  const { queue, requests, counts, pass } = rig([unavailable, unavailable]);
  queue.add([1, 2]);
  await pass(100);
  await pass(999);
  expect(requests).toHaveLength(1);
  await pass(1);
  expect(requests).toHaveLength(2);
  await pass(1_999);
  expect(requests).toHaveLength(2);
  await pass(1);
  expect(requests).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  expect(counts).toEqual({ sent: 2, dropped: 0 });
});

test("a collector that asks for a longer pause gets it", async () => {
  const { queue, requests, pass } = rig([{ ...unavailable, afterMs: 5_000 }]);
  queue.add([1]);
  await pass(100);
  await pass(4_999);
  expect(requests).toHaveLength(1);
  await pass(1);
  expect(requests).toHaveLength(2);
});

test("after the last attempt the request is dropped and counted, and the next one begins anew", async () => {
  const { queue, requests, counts, pass } = rig([unavailable, unavailable, unavailable]);
  queue.add([1, 2, 3, 4, 5]);
  await pass(100);
  await pass(1_000);
  await pass(2_000);
  expect(counts).toEqual({ sent: 0, dropped: 4 });
  await pass(4_000);
  expect(requests.at(-1)).toEqual([5]);
  expect(counts).toEqual({ sent: 1, dropped: 4 });
});

test("a refused request is not repeated, and rejected items of an accepted one count as dropped", async () => {
  const { queue, requests, counts, pass } = rig([
    { type: "refused", reason: "bad" },
    { ...accepted, rejected: 1 },
  ]);
  queue.add([1, 2]);
  await pass(100);
  queue.add([3, 4]);
  await pass(100);
  expect(requests).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(counts).toEqual({ sent: 1, dropped: 3 });
});

test("a full queue drops new items, and never holds more than its capacity", async () => {
  const never = new Promise<Outcome>(() => undefined);
  const { queue, counts, pass } = rig([never]);
  queue.add([1, 2, 3]);
  await pass(100);
  for (let item = 0; item < 1_000; item++) queue.add([item]);
  expect(queue.waiting).toBe(10);
  expect(counts.dropped).toBe(993);
});

test("a stop sends the rest at once, and takes nothing more", async () => {
  const { queue, requests, counts } = rig();
  queue.add([1, 2, 3, 4, 5]);
  await queue.flush();
  queue.add([6]);
  expect(requests).toEqual([[1, 2, 3, 4], [5]]);
  expect(counts).toEqual({ sent: 5, dropped: 1 });
});

test("a stop gives an unavailable collector one attempt, and counts the rest as dropped", async () => {
  const { queue, requests, counts, clock } = rig([unavailable]);
  queue.add([1, 2, 3, 4, 5]);
  await queue.flush();
  expect(requests).toHaveLength(1);
  expect(counts).toEqual({ sent: 0, dropped: 5 });
  expect(clock.pending).toBe(0);
});
