import { beforeEach, describe, expect, test } from "vitest";
import type { Viewer } from "../../admin/viewer.ts";
import { deskRig } from "../../testing/desk/desk-rig.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { DeskState } from "../api/desk-state.ts";
import { EventHub } from "./event-hub.ts";

const operator: Viewer = { type: "system" };
let clock: FakeClock;
/** How often an overview was made, and the summary of a change: they ask for the sources, and for the time. */
let made: { overviews: number; summaries: number };
let state: DeskState;
let hub: EventHub;
let newest: string;

beforeEach(async () => {
  clock = new FakeClock();
  made = { overviews: 0, summaries: 0 };
  const { state: whole } = await deskRig();
  state = {
    ...whole,
    sources() {
      made.overviews++;
      return [];
    },
    timeOf(ms) {
      made.summaries++;
      return whole.timeOf(ms);
    },
  };
  state.journal.takeTouched();
  hub = new EventHub(state, clock);
  newest = state.journal.changes[0]?.id ?? "";
});

/** A reader, with the types of its events and the id of the last one. */
function follow(lastId?: string, viewer = operator) {
  const texts: string[] = [];
  const leave = hub.follow({ viewer, send: (text) => texts.push(text) }, lastId);
  const found = (pattern: RegExp) => Array.from(texts.join("").matchAll(pattern), ([, group = ""]) => group);
  return {
    leave,
    texts,
    types: () => found(/^event: (.*)$/gmu),
    lastId: () => found(/^id: (.*)$/gmu).at(-1) ?? "",
  };
}

function touchNewest(): void {
  const change = state.journal.find(newest);
  if (change !== undefined) state.journal.touchAgain(change);
}

describe("a reader of events", () => {
  test("begins with a reset, and then gets changes at once and the rest at most once a second", () => {
    const reader = follow();
    for (let flush = 0; flush < 8; flush++) {
      touchNewest();
      clock.advance(250);
    }
    const counts = Object.entries(Object.groupBy(reader.types(), (type) => type));
    expect(Object.fromEntries(counts.map(([type, all = []]) => [type, all.length]))).toEqual({
      reset: 1,
      changes: 8,
      overview: 2,
      proxies: 2,
    });
  });

  test("that comes back gets what it missed, once", () => {
    const first = follow();
    const other = follow();
    touchNewest();
    clock.advance(250);
    first.leave();
    for (let flush = 0; flush < 3; flush++) {
      touchNewest();
      clock.advance(2_000);
    }
    const again = follow(first.lastId());
    expect(again.types()).toEqual(["changes", "overview", "proxies"]);
    expect(again.lastId()).toBe(other.lastId());
    expect(again.texts.join("").split(`"id":"${newest}"`).length - 1).toBe(1);
  });

  test("that missed nothing gets no event, and keeps its id", () => {
    const first = follow();
    follow();
    touchNewest();
    clock.advance(250);
    first.leave();
    const again = follow(first.lastId());
    expect(again.types()).toEqual([]);
  });

  test("that was the only one, and missed something, begins with a reset", () => {
    const first = follow();
    touchNewest();
    clock.advance(250);
    first.leave();
    touchNewest();
    expect(follow(first.lastId()).types()).toEqual(["reset"]);
  });

  test("that was the only one, and left before an event that was due, begins with a reset", () => {
    const first = follow();
    touchNewest();
    clock.advance(250);
    hub.touch("configuration");
    first.leave();
    expect(follow(first.lastId()).types()).toEqual(["reset"]);
  });

  test("that was the only one, and missed nothing, gets no event", () => {
    const first = follow();
    touchNewest();
    clock.advance(250);
    first.leave();
    expect(follow(first.lastId()).types()).toEqual([]);
  });

  test("is not told about changes that were complete before it came", () => {
    touchNewest();
    const reader = follow();
    hub.touch("overview");
    clock.advance(250);
    expect(reader.types()).toEqual(["reset", "overview"]);
  });

  test("that missed more than the server kept begins with a reset", () => {
    const first = follow();
    follow();
    touchNewest();
    clock.advance(250);
    first.leave();
    for (let flush = 0; flush < 256; flush++) {
      touchNewest();
      clock.advance(250);
    }
    expect(follow(first.lastId()).types()).toEqual(["changes", "overview", "proxies"]);
    touchNewest();
    clock.advance(250);
    expect(follow(first.lastId()).types()).toEqual(["reset"]);
  });

  test.each(["", "nonsense", "s-", "s-99999", "s--1", "s-1.5", "other-0"])(
    "with the id %j begins with a reset",
    (id) => {
      expect(follow(id).types()).toEqual(["reset"]);
    },
  );

  test("of a workload gets no event about other namespaces", () => {
    const reader = follow(undefined, { type: "namespace", namespace: "aaa" });
    // The newest change is of `bbb` alone.
    touchNewest();
    clock.advance(250);
    expect(reader.types()).not.toContain("changes");
    expect(reader.texts.join("")).not.toContain("bbb");
  });
});

describe("the number of encodings", () => {
  test("is that of one reader for ten readers with equal rights", () => {
    const readers = Array.from({ length: 10 }, () => follow());
    for (let second = 0; second < 5; second++) {
      touchNewest();
      clock.advance(1_000);
    }
    expect(made).toEqual({ overviews: 5, summaries: 5 });
    for (const { texts } of readers) expect(texts).toEqual(readers[0]?.texts);
    expect(readers[0]?.types().filter((type) => type === "overview")).toHaveLength(5);
  });

  test("is one more for each namespace whose workloads read", () => {
    const namespaces = ["aaa", "aaa", "bbb", "bbb"];
    for (const namespace of namespaces) follow(undefined, { type: "namespace", namespace });
    follow();
    touchNewest();
    clock.advance(1_000);
    // The change is of `bbb` alone: one summary for its workloads, one for operators.
    expect(made).toEqual({ overviews: 3, summaries: 2 });
  });

  test("is zero without readers, and no timer waits", () => {
    for (let touches = 0; touches < 100; touches++) touchNewest();
    hub.touch("overview", "proxies", "configuration");
    clock.advance(10_000);
    expect(made).toEqual({ overviews: 0, summaries: 0 });
    expect(clock.pending).toBe(0);
  });

  test("is zero after the last reader has left, and no timer waits", () => {
    const { leave } = follow();
    touchNewest();
    expect(clock.pending).toBe(1);
    leave();
    expect(clock.pending).toBe(0);
    touchNewest();
    clock.advance(10_000);
    expect(made).toEqual({ overviews: 0, summaries: 0 });
    expect(clock.pending).toBe(0);
  });
});
