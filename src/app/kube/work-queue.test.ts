import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { WorkQueue } from "./work-queue.ts";

function queue({ paceMs = 0, work = async (_key: string) => {} } = {}) {
  const clock = new FakeClock();
  const done: [key: string, at: number][] = [];
  const failed: string[] = [];
  const subject = new WorkQueue({
    clock,
    paceMs,
    work: (key) => {
      done.push([key, clock.now()]);
      return work(key);
    },
    onFailure: (key, error) => failed.push(`${key}: ${String(error)}`),
  });
  subject.start();
  const pass = async (ms: number) => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { clock, done, failed, subject, pass };
}

describe("work", () => {
  test("is done in the order in which it was added, one after the other", async () => {
    const going: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { subject } = queue({
      work: (key) => {
        going.push(key);
        return gates[going.length - 1]?.promise ?? Promise.resolve();
      },
    });
    subject.add("a");
    subject.add("b");
    await settled();
    expect(going).toEqual(["a"]);
    gates[0]?.resolve();
    await settled();
    expect(going).toEqual(["a", "b"]);
  });

  test("that waits is done once, however often it is added; work added while it runs is done again", async () => {
    const gate = Promise.withResolvers<void>();
    const { subject, done } = queue({ work: () => gate.promise });
    for (const key of ["a", "b", "b", "a"]) subject.add(key);
    gate.resolve();
    await settled();
    expect(done.map(([key]) => key)).toEqual(["a", "b", "a"]);
  });

  test("is done at the configured rate", async () => {
    const { subject, done, pass } = queue({ paceMs: 50 });
    for (const key of ["a", "b", "c"]) subject.add(key);
    for (let ms = 0; ms < 200; ms += 10) await pass(10);
    expect(done).toEqual([
      ["a", 0],
      ["b", 50],
      ["c", 100],
    ]);
  });

  test("that fails is retried with growing pauses, and adding it again does not shorten them", async () => {
    let failures = 3;
    const { subject, done, failed, pass } = queue({
      work: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error("down");
      },
    });
    subject.add("a");
    while (done.length < 4) {
      subject.add("a");
      await pass(500);
    }
    expect(done.map(([, at]) => at)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(failed).toEqual(["a: Error: down", "a: Error: down", "a: Error: down"]);
  });

  test("that succeeded starts with a short pause when it fails again", async () => {
    const outcomes = ["bad", "bad", "good", "bad", "good"];
    const { subject, done, pass } = queue({
      work: async () => {
        if (outcomes.shift() === "bad") throw new Error("down");
      },
    });
    subject.add("a");
    for (let ms = 0; ms < 4_000; ms += 500) await pass(500);
    subject.add("a");
    for (let ms = 0; ms < 2_000; ms += 500) await pass(500);
    expect(done.map(([, at]) => at)).toEqual([0, 1_000, 3_000, 4_000, 5_000]);
  });

  test("is dropped by a stop, which waits for running work", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, subject, done } = queue({ work: () => gate.promise });
    subject.add("a");
    subject.add("b");
    let stopped = false;
    const stopping = subject.stop().then(() => (stopped = true));
    await settled();
    expect(stopped).toBe(false);
    gate.reject(new Error("down"));
    await stopping;
    clock.advance(60_000);
    expect([done.length, clock.pending]).toEqual([1, 0]);
  });

  test("continues after a new start", async () => {
    const { subject, done } = queue();
    await subject.stop();
    subject.add("a");
    expect(done).toEqual([]);
    subject.start();
    await settled();
    expect(done).toEqual([["a", 0]]);
  });
});
