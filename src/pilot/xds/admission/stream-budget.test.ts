import { describe, expect, test } from "vitest";
import type { GrpcStreamHandler } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { streamPair, type TestClientStream } from "../../../testing/stream/stream-pair.ts";
import { type Entry, StreamBudget } from "./stream-budget.ts";

const handler: GrpcStreamHandler = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };

/** Opens streams whose first request takes as long to answer as a test says. */
function rig(perSecond = 0) {
  const clock = new FakeClock();
  const budget = new StreamBudget({ clock, perSecond });
  const open = (costMs: number): { readonly entry: Entry; readonly client: TestClientStream } => {
    const entry = budget.enter();
    const { server, client } = streamPair();
    if (entry.type === "refused") return { entry, client };
    budget.metered(server).attach({ ...handler, onMessage: () => clock.advance(costMs) });
    client.send(Uint8Array.of(1));
    return { entry, client };
  };
  const types = (count: number, costMs: number) => Array.from({ length: count }, () => open(costMs).entry.type);
  return { clock, budget, open, types };
}

describe("a budget of measured cost", () => {
  test("lets a herd of cheap streams in at once", () => {
    const { types } = rig();
    expect(new Set(types(1_000, 0))).toEqual(new Set(["now"]));
  });

  test("spreads costly ones: soon they wait, then they are refused with a time to come again", () => {
    const { budget, types } = rig();
    expect(types(60, 200)).toContain("later");
    for (let more = 0; more < 4_000; more++) budget.enter();
    expect(budget.enter().type).toBe("refused");
  });

  test("asks cheap resumes to wait less than cold starts, by what it has seen", () => {
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

  test("is not impressed by one costly stream among cheap ones", () => {
    const { clock, budget, open } = rig();
    const before = budget.rate;
    open(500);
    clock.advance(1_000);
    expect(budget.rate).toBeGreaterThan(before / 2);
  });

  test("gives each that is refused a later time than the one before", () => {
    const { budget } = rig();
    const entries = Array.from({ length: 10_000 }, () => budget.enter());
    const times = entries.flatMap((entry) => (entry.type === "refused" ? [entry.retryAfterMs] : []));
    expect(times.length).toBeGreaterThan(1_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(2 * (times[0] ?? 0));
    expect(times.every((time) => time <= 30_000)).toBe(true);
  });

  test("frees what a stream that is gone was expected to cost", () => {
    const { budget, open } = rig();
    const clients = Array.from({ length: 2_000 }, () => open(0).client);
    expect(budget.enter().type).toBe("later");
    for (const client of clients) client.disconnect();
    expect(budget.enter().type).toBe("now");
  });

  test("is full again when it has been quiet", () => {
    const { clock, budget, types } = rig();
    types(60, 200);
    clock.advance(10_000);
    expect(budget.enter()).toEqual({ type: "now" });
  });

  test("pays for what a stream asks when it is young, and no longer", () => {
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
  test("lets one in, the next after its share of a second, and refuses what would wait longer than one", () => {
    const { budget } = rig(10);
    const entries = Array.from({ length: 12 }, () => budget.enter());
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
  });
});
