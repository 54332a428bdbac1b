import { describe, expect, test } from "vitest";
import type { GrpcStreamHandler } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { streamPair, type TestClientStream } from "../../../testing/stream/stream-pair.ts";
import { type Entry, StreamBudget } from "./stream-budget.ts";

const handler: GrpcStreamHandler = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };

const local = { address: "127.0.0.1:1" };

/** Opens streams whose first request takes as long as a test sets. */
function rig(perSecond = 0) {
  const clock = new FakeClock();
  const budget = new StreamBudget({ clock, perSecond });
  const open = (costMs: number): { readonly entry: Entry; readonly client: TestClientStream } => {
    const entry = budget.enter(local);
    const { server, client } = streamPair();
    if (entry.type === "refused") return { entry, client };
    budget.metered(server).attach({ ...handler, onMessage: () => clock.advance(costMs) });
    client.send(Uint8Array.of(1));
    return { entry, client };
  };
  const types = (count: number, costMs: number) => Array.from({ length: count }, () => open(costMs).entry.type);
  /** How many streams are taken at once from now on. */
  const room = () => {
    let taken = 0;
    while (budget.enter(local).type === "now") taken++;
    return taken;
  };
  return { clock, budget, open, types, room };
}

/** The rate when one stream that cost so much is no longer young, and not before. */
function rateAfter(costMs: number): number {
  const { clock, budget, open } = rig();
  open(costMs);
  clock.advance(999 - costMs);
  expect(budget.rate).toBe(800);
  clock.advance(1);
  return budget.rate;
}

function refused(retryAfterMs: number): Entry {
  return { type: "refused", retryAfterMs };
}

describe("a budget of measured cost", () => {
  test("accepts many cheap streams at once", () => {
    const { types } = rig();
    expect(new Set(types(1_000, 0))).toEqual(new Set(["now"]));
  });

  test("spreads costly streams: first they wait, then they are refused with a retry time", () => {
    const { budget, types } = rig();
    expect(types(60, 200)).toContain("later");
    for (let more = 0; more < 4_000; more++) budget.enter(local);
    expect(budget.enter(local).type).toBe("refused");
  });

  test("accepts 1.6 s of work at once, queues 4 s of work, which takes five, and refuses the rest", () => {
    const { budget, room } = rig();
    expect(budget.rate).toBe(800);
    expect(room()).toBe(1_600);
    expect(budget.enter(local)).toEqual({ type: "later", afterMs: 3 });
    for (let more = 1_603; more < 5_600; more++) budget.enter(local);
    expect([1, 2, 3].map(() => budget.enter(local))).toEqual([
      { type: "later", afterMs: 5_000 },
      { type: "refused", retryAfterMs: 5_003 },
      { type: "refused", retryAfterMs: 5_004 },
    ]);
  });

  test("raises the expected cost by a tenth after a costly stream, and lowers it by a tenth after others", () => {
    expect(rateAfter(900)).toBeCloseTo(800 / 1.1);
    expect(rateAfter(1)).toBeCloseTo(800 * 1.1);
  });

  test("learns from a stream once, at its end or after a second, and leaves no timer", () => {
    const { clock, budget, open } = rig();
    const [old, brief] = [open(0), open(0)];
    brief.client.disconnect();
    expect(clock.pending).toBe(1);
    clock.advance(1_000);
    const { rate } = budget;
    expect(rate).toBeCloseTo(800 * 1.1 ** 2);
    old.client.disconnect();
    expect(budget.rate).toBe(rate);
  });

  test("has room again for each stream that is no longer young", () => {
    const { clock, open, room } = rig();
    for (let more = 0; more < 3; more++) open(0);
    clock.advance(1_000);
    expect(room()).toBe(Math.floor(1_600 * 1.1 ** 3));
  });

  test("subtracts the cost of a young stream at once, instead of its expected cost", () => {
    const { open, room } = rig();
    open(900);
    expect(room()).toBe(700);
  });

  test("accepts 6 s of streams one after the other, because those that are served hold no room any more", () => {
    expect(new Set(rig().types(6_000, 1))).toEqual(new Set(["now"]));
  });

  test("serves requests of an old stream without cost", () => {
    const { clock, open, room } = rig();
    const { client } = open(900);
    clock.advance(2_000);
    client.send(Uint8Array.of(1));
    expect(clock.now()).toBe(3_800);
    expect(room()).toBe(Math.floor(1_600 / 1.1));
  });

  test("lets cheap resumes wait less than cold starts, by measured cost", () => {
    const cheap = rig();
    const costly = rig();
    for (let second = 0; second < 60; second++) {
      cheap.open(0.1);
      costly.open(100);
      cheap.clock.advance(1_000);
      costly.clock.advance(1_000);
    }
    expect(costly.budget.rate).toBeLessThan(20);
    expect(cheap.budget.rate).toBeGreaterThan(100 * costly.budget.rate);
  });

  test("is hardly changed by one costly stream among cheap ones", () => {
    const { clock, budget, open } = rig();
    const before = budget.rate;
    open(500);
    clock.advance(1_000);
    expect(budget.rate).toBeGreaterThan(before / 2);
  });

  test("gives each refused stream a later retry time than the one before", () => {
    const { budget } = rig();
    const entries = Array.from({ length: 10_000 }, () => budget.enter(local));
    const times = entries.flatMap((entry) => (entry.type === "refused" ? [entry.retryAfterMs] : []));
    expect(times.length).toBeGreaterThan(1_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(2 * (times[0] ?? 0));
    expect(times.every((time) => time <= 30_000)).toBe(true);
  });

  test("frees the expected cost of a closed stream", () => {
    const { budget, open } = rig();
    const clients = Array.from({ length: 2_000 }, () => open(0).client);
    expect(budget.enter(local).type).toBe("later");
    for (const client of clients) client.disconnect();
    expect(budget.enter(local).type).toBe("now");
  });

  test("is full again after a quiet time", () => {
    const { clock, budget, types } = rig();
    types(60, 200);
    clock.advance(10_000);
    expect(budget.enter(local)).toEqual({ type: "now" });
  });

  test("counts the cost of a stream only while it is young", () => {
    const { clock, budget, open } = rig();
    const { client } = open(1);
    clock.advance(60_000);
    const { rate } = budget;
    for (let request = 0; request < 100; request++) client.send(Uint8Array.of(1));
    clock.advance(60_000);
    expect(budget.rate).toBe(rate);
  });
});

describe("a budget of so many streams per second", () => {
  test("accepts one, the next after its share of a second, and refuses streams that would wait longer than a second", () => {
    const { budget } = rig(10);
    const entries = Array.from({ length: 12 }, () => budget.enter(local));
    expect(entries[0]).toEqual({ type: "now" });
    expect(entries[1]).toEqual({ type: "later", afterMs: 100 });
    expect(entries[10]).toEqual({ type: "later", afterMs: 1_000 });
    expect(entries[11]).toEqual({ type: "refused", retryAfterMs: 1_200 });
  });

  test("counts cheap and costly streams alike", () => {
    const { clock, types } = rig(10);
    expect(types(2, 0)).toEqual(["now", "later"]);
    clock.advance(1_000);
    expect(types(1, 500)).toEqual(["now"]);
    expect(types(1, 0)).toEqual(["now"]);
  });

  test("has room for one more when its share of a second is over", () => {
    const { clock, budget } = rig(1);
    expect([1, 2].map(() => budget.enter(local))).toEqual([{ type: "now" }, { type: "later", afterMs: 1_000 }]);
    clock.advance(2_000);
    expect(budget.enter(local)).toEqual({ type: "now" });
  });

  test("lets no stream wait longer than a second", () => {
    const { budget } = rig(2_000);
    const types = Array.from({ length: 2_002 }, () => budget.enter(local).type);
    expect(types.slice(-2)).toEqual(["later", "refused"]);
  });

  test("gives each refused stream 100 ms more, until one is accepted, and 30 s at most", () => {
    const { clock, budget } = rig(10);
    for (let taken = 0; taken < 11; taken++) budget.enter(local);
    expect([1, 2].map(() => budget.enter(local))).toEqual([refused(1_200), refused(1_300)]);
    clock.advance(100);
    expect([1, 2].map(() => budget.enter(local))).toEqual([{ type: "later", afterMs: 1_000 }, refused(1_200)]);
    for (let more = 0; more < 400; more++) budget.enter(local);
    expect(budget.enter(local)).toEqual(refused(30_000));
  });
});

describe("fairness between peers", () => {
  const noisy = { address: "10.0.0.1:1" };
  const calm = { address: "10.0.0.2:1" };

  test.each([0, 10])(
    "a peer that opens streams in a loop leaves room for the stream of another, at %i per second",
    (rate) => {
      const { clock, budget } = rig(rate);
      for (let round = 0; round < 20; round++) {
        for (let stream = 0; stream < 5_000; stream++) budget.enter(noisy);
        expect(budget.enter(noisy).type).toBe("refused");
        const entry = budget.enter(calm);
        expect(entry.type === "later" && entry.afterMs <= 700).toBe(true);
        clock.advance(1_000);
      }
    },
  );

  test("a busy peer is forgiven when it stops", () => {
    const { clock, budget } = rig(10);
    const entries = Array.from({ length: 11 }, () => budget.enter(calm).type);
    expect(entries.slice(0, 6)).toEqual(["now", "later", "later", "later", "later", "later"]);
    for (let stream = 0; stream < 1_000; stream++) budget.enter(noisy);
    clock.advance(20_000);
    const again = Array.from({ length: 11 }, () => budget.enter(noisy).type);
    expect(again).toEqual(entries);
  });

  test("proxies on this machine count as many peers", () => {
    const { budget } = rig(10);
    const entries = Array.from({ length: 30 }, () => budget.enter(local));
    expect(entries.filter(({ type }) => type === "later")).toHaveLength(10);
  });
});

test("a loaded server accepts half as many streams", () => {
  const clock = new FakeClock();
  const load = { slower: false };
  const budget = new StreamBudget({ clock, perSecond: 0, isSlower: () => load.slower });
  expect(budget.rate).toBe(800);
  load.slower = true;
  expect(budget.rate).toBe(400);
});
