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

/** A connection that reads when a test says so. */
class Reader {
  readonly pushed: (readonly string[])[] = [];
  queued = 0;
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

function rig(maxInFlight: number, readers: readonly Reader[]) {
  const clock = new FakeClock();
  const dispatcher = new Dispatcher<Reader>({ clock, turn: () => Promise.resolve(), maxInFlight });
  const settle = async () => {
    for (let turns = 0; turns < 10 * readers.length + 10; turns++) await Promise.resolve();
  };
  const reads = (reader: Reader) => {
    reader.queued = 0;
    dispatcher.flushed(reader);
  };
  return { clock, dispatcher, settle, reads };
}

describe("the dispatcher", () => {
  test("pushes to so many connections at a time, in order, and to the next when one has read", async () => {
    const readers = [new Reader(), new Reader(), new Reader(), new Reader()];
    const { dispatcher, settle, reads } = rig(2, readers);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    expect(readers.map(({ pushed }) => pushed.length)).toEqual([1, 1, 0, 0]);
    reads(readers[1] as Reader);
    await settle();
    expect(readers.map(({ pushed }) => pushed.length)).toEqual([1, 1, 1, 0]);
  });

  test("does not count those whose bytes have left already", async () => {
    const readers = Array.from({ length: 50 }, () => new Reader(true));
    const { dispatcher, settle } = rig(2, readers);
    for (const reader of readers) dispatcher.enqueue(reader, request("a"));
    await settle();
    expect(readers.every(({ pushed }) => pushed.length === 1)).toBe(true);
    await dispatcher.idle();
  });

  test("takes the place of a slow reader after a second, and gives it none while it has not read", async () => {
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

  test("merges what comes for a connection in flight, and pushes it once when it has read", async () => {
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

  test("frees the place of a connection that is gone", async () => {
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
