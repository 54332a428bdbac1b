import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import type { PushRequest } from "../model/push-request.ts";
import { Dispatcher } from "./dispatcher.ts";

const request = (name: string): PushRequest => ({
  changed: new Set([configId("Service", "shop", name)]),
  forced: false,
  reasons: new Map([["service", 1]]),
  startedAt: 0,
});

/** A connection that reads when the test lets it read. */
class Reader {
  readonly pushed: (readonly string[])[] = [];
  queued = 0;
  readonly client = { namespace: "shop" };
  readonly prompt: boolean;

  constructor(prompt = false) {
    this.prompt = prompt;
  }

  push(given: { readonly reasons: ReadonlyMap<string, number> }): void {
    const { changed } = given as PushRequest;
    this.pushed.push(Array.from(changed, (id) => id.split("/")[2] ?? ""));
    if (!this.prompt) this.queued += 1;
  }
}

function rig(maxInFlight: number, readers: readonly Reader[], turn = () => Promise.resolve()) {
  const clock = new FakeClock();
  const waits: number[] = [];
  const dispatcher = new Dispatcher<Reader>({
    clock,
    turn,
    maxInFlight,
    onDequeued: (waitedMs) => waits.push(waitedMs),
  });
  const settle = async () => {
    for (let turns = 0; turns < 10 * readers.length + 10; turns++) await Promise.resolve();
  };
  const reads = (reader: Reader) => {
    reader.queued = 0;
    dispatcher.flushed(reader);
  };
  return { clock, dispatcher, settle, reads, waits };
}

describe("the dispatcher", () => {
  test("knows how long the first connection in its queue has waited", async () => {
    const readers = [new Reader(), new Reader(), new Reader()];
    const { clock, dispatcher, settle, reads } = rig(1, readers);
    expect(dispatcher.longestWaitMs).toBe(0);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    clock.advance(300);
    expect([dispatcher.waiting, dispatcher.longestWaitMs]).toEqual([2, 300]);
    reads(readers[0] as Reader);
    await settle();
    dispatcher.enqueue(readers[0] as Reader, request("b"));
    clock.advance(100);
    expect(dispatcher.longestWaitMs).toBe(400);
    dispatcher.remove(readers[2] as Reader);
    expect(dispatcher.longestWaitMs).toBe(100);
  });

  test("pushes to a limited number of connections at a time, in order, and to the next when one has read", async () => {
    const readers = [new Reader(), new Reader(), new Reader(), new Reader()];
    const { dispatcher, settle, reads } = rig(2, readers);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    expect(readers.map(({ pushed }) => pushed.length)).toEqual([1, 1, 0, 0]);
    reads(readers[1] as Reader);
    await settle();
    expect(readers.map(({ pushed }) => pushed.length)).toEqual([1, 1, 1, 0]);
  });

  test("yields to other work before the first connection and after each one", async () => {
    const readers = [new Reader(true), new Reader(true)];
    const pushedBefore: number[] = [];
    const turn = () => {
      pushedBefore.push(readers.filter(({ pushed }) => pushed.length > 0).length);
      return Promise.resolve();
    };
    const { dispatcher, settle } = rig(2, readers, turn);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    expect(pushedBefore).toEqual([0, 1, 2]);
  });

  test("does not count connections whose bytes have left already", async () => {
    const readers = Array.from({ length: 50 }, () => new Reader(true));
    const { dispatcher, settle } = rig(2, readers);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    expect(readers.every(({ pushed }) => pushed.length === 1)).toBe(true);
    await dispatcher.idle();
  });

  test("frees the slot of a slow reader after a second, and gives it none until it has read", async () => {
    const [slow, other] = [new Reader(), new Reader()];
    const { clock, dispatcher, settle } = rig(1, [slow, other]);
    dispatcher.enqueue(slow, request("a"));
    dispatcher.enqueue(other, request("a"));
    await settle();
    expect(other.pushed).toEqual([]);
    clock.advance(1_000);
    await settle();
    expect(other.pushed).toEqual([["a"]]);
    clock.advance(1_000);
    dispatcher.enqueue(slow, request("b"));
    dispatcher.enqueue(other, request("b"));
    await settle();
    expect([slow.pushed, other.pushed]).toEqual([
      [["a"], ["b"]],
      [["a"], ["b"]],
    ]);
  });

  test("merges requests for a connection in flight, and pushes them once when it has read", async () => {
    const reader = new Reader();
    const { dispatcher, settle, reads } = rig(1, [reader]);
    dispatcher.enqueue(reader, request("a"));
    await settle();
    dispatcher.enqueue(reader, request("b"));
    dispatcher.enqueue(reader, request("c"));
    await settle();
    expect(reader.pushed).toEqual([["a"]]);
    reads(reader);
    await settle();
    expect(reader.pushed).toEqual([["a"], ["b", "c"]]);
  });

  test("reports how long each connection waited, since its first change", async () => {
    const [one, other] = [new Reader(), new Reader()];
    const { clock, dispatcher, settle, reads, waits } = rig(1, [one, other]);
    dispatcher.enqueue(one, request("a"));
    dispatcher.enqueue(other, request("a"));
    await settle();
    clock.advance(300);
    dispatcher.enqueue(other, request("b"));
    reads(one);
    await settle();
    expect(waits).toEqual([0, 300]);
    reads(other);
    dispatcher.enqueue(other, request("c"));
    await settle();
    expect(waits).toEqual([0, 300, 0]);
  });

  test("pushes to no connection after it was stopped, and leaves no timer", async () => {
    const [one, other, late] = [new Reader(), new Reader(), new Reader()];
    const { clock, dispatcher, settle, reads } = rig(1, [one, other, late]);
    dispatcher.enqueue(one, request("a"));
    dispatcher.enqueue(other, request("a"));
    await settle();
    expect(clock.pending).toBe(1);
    dispatcher.stop();
    expect(clock.pending).toBe(0);
    dispatcher.enqueue(late, request("a"));
    reads(one);
    await settle();
    expect([one, other, late].map(({ pushed }) => pushed.length)).toEqual([1, 0, 0]);
    await dispatcher.idle();
  });

  test("measures the wait of a returning connection from its new start", async () => {
    const [first, other] = [new Reader(), new Reader()];
    const { clock, dispatcher, settle, reads, waits } = rig(1, [first, other]);
    dispatcher.enqueue(first, request("a"));
    dispatcher.enqueue(other, request("a"));
    await settle();
    dispatcher.remove(other);
    clock.advance(300);
    dispatcher.enqueue(other, request("b"));
    reads(first);
    await settle();
    expect(waits).toEqual([0, 0]);
  });

  test("yields before the first connection and after each", async () => {
    const readers = [new Reader(true), new Reader(true)];
    const steps: string[] = [];
    const dispatcher = new Dispatcher<Reader>({
      clock: new FakeClock(),
      turn: () => {
        steps.push("turn");
        return Promise.resolve();
      },
      maxInFlight: 2,
      onDequeued: () => steps.push("push"),
    });
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await dispatcher.idle();
    expect(steps).toEqual(["turn", "push", "turn", "push", "turn"]);
  });

  test("accepts nothing more after it was stopped", async () => {
    const late = new Reader();
    const { dispatcher, settle } = rig(1, [late]);
    dispatcher.stop();
    dispatcher.enqueue(late, request("a"));
    await settle();
    expect([dispatcher.waiting, late.pushed.length]).toEqual([0, 0]);
  });

  test("ignores the flush of a connection that is not in flight", async () => {
    const [busy, waiting] = [new Reader(), new Reader()];
    const { dispatcher, settle } = rig(1, [busy, waiting]);
    dispatcher.enqueue(busy, request("a"));
    dispatcher.enqueue(waiting, request("a"));
    await settle();
    dispatcher.flushed(waiting);
    await settle();
    expect([dispatcher.waiting, waiting.pushed.length]).toEqual([1, 0]);
  });

  test("frees the slot of a closed connection", async () => {
    const [gone, other] = [new Reader(), new Reader()];
    const { clock, dispatcher, settle } = rig(1, [gone, other]);
    dispatcher.enqueue(gone, request("a"));
    dispatcher.enqueue(other, request("a"));
    await settle();
    dispatcher.remove(gone);
    await settle();
    expect(other.pushed).toEqual([["a"]]);
    dispatcher.stop();
    expect(clock.pending).toBe(0);
  });

  test("five connections, two at a time: each gets every change, and never more than two are in flight", async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("push" as const), who: fc.nat(4), key: fc.nat(5) }),
      fc.record({ type: fc.constant("read" as const), who: fc.nat(4) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const readers = Array.from({ length: 5 }, () => new Reader());
        const { dispatcher, settle, reads } = rig(2, readers);
        const wanted = readers.map(() => new Set<string>());
        for (const each of steps) {
          const reader = readers[each.who] as Reader;
          if (each.type === "push") {
            wanted[each.who]?.add(String(each.key));
            dispatcher.enqueue(reader, request(String(each.key)));
          } else reads(reader);
          await settle();
          expect(readers.filter(({ queued }) => queued > 0).length).toBeLessThanOrEqual(2);
        }
        for (let round = 0; round < 10; round++) {
          for (const reader of readers) reads(reader);
          await settle();
        }
        expect(readers.map(({ pushed }) => new Set(pushed.flat()))).toEqual(wanted);
        expect(dispatcher.waiting).toBe(0);
      }),
      { seed, numRuns: runs(100) },
    );
  });
});
