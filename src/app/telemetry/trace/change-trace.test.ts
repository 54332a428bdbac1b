import { expect, test } from "vitest";
import { Journal } from "../../../desk/journal/journal.ts";
import type { JournalObject } from "../../../desk/journal/recorded-change.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { PushEnd } from "../../../xds/stream/push-progress.ts";
import { ChangeTracer, type Traced } from "./change-tracer.ts";
import type { FinishedSpan } from "./span.ts";
import { spansOf } from "./spans-of-push.ts";

const object: JournalObject = {
  kind: "VirtualService",
  namespace: "shop",
  name: "reviews",
  operation: "updated",
  source: "file:mesh",
  reference: "mesh/reviews.yaml:3",
};

const range = (number: number) => [{ first: number, last: number }];

/** A journal and a tracer that get the same events, as in a server. */
function rig() {
  const clock = new FakeClock();
  clock.advance(1_000);
  const journal = new Journal({ now: () => clock.now(), start: "s", isDispatched: () => true });
  const complete: Traced[] = [];
  let eventAt: number | undefined;
  const tracer = new ChangeTracer({
    journal,
    clock,
    lastEventAt: () => eventAt,
    onComplete: (traced) => complete.push(traced),
  });
  let ids = 0;
  return {
    clock,
    tracer,
    /** All spans so far, by trace. */
    traces: (): readonly (readonly FinishedSpan[])[] => {
      const spans = complete.flatMap((traced) =>
        spansOf(traced, {
          newId: (bytes) => String(++ids).padStart(2 * bytes, "0"),
          epochMsOf: (ms) => ms + 50_000,
          originOf: () => ({ reference: "mesh/reviews.yaml:3" }),
          editedAt: ({ change }) => change.at - 30,
        }),
      );
      return [...Map.groupBy(spans, ({ traceId }) => traceId).values()];
    },
    commit: (sequence: number, isPushed = true) => {
      eventAt = clock.now();
      clock.advance(2);
      journal.committed(sequence, [object]);
      tracer.committed(sequence);
      if (isPushed) journal.requested(sequence, { endpointsOnly: false });
    },
    push: (number: number, commits: readonly number[]) => {
      const started = { number, commits, debouncedMs: 10, durationMs: 4, reasons: new Map([["config", 1]]) };
      journal.pushStarted(started);
      tracer.pushStarted(started);
    },
    fail: (message: string) => {
      journal.pushFailed(new Error(message));
      tracer.pushFailed(new Error(message));
    },
    send: (node: string, number: number, type = "RDS") => {
      const response = { type, node, resources: 1, removed: 0, bytes: 100, repeats: [], ms: 1, pushes: range(number) };
      journal.pushesOwed(range(number));
      journal.responseSent(response);
      tracer.responseSent(response);
    },
    reject: (node: string, number: number) => {
      const objects = ["VirtualService/shop/reviews"];
      journal.rejected(node, range(number), [{ type: "RDS", message: "bad regex", resources: ["80"], objects }]);
      tracer.rejected("RDS", range(number));
    },
    end: (node: string, number: number, how: PushEnd = "acknowledged") => {
      journal.pushesEnded(range(number), how);
      tracer.pushesEnded(node, range(number), how);
    },
  };
}

const nameTree = (spans: readonly FinishedSpan[]) =>
  spans.map(({ name, parentId }) => [name, spans.find(({ spanId }) => spanId === parentId)?.name ?? ""]);
const find = (spans: readonly FinishedSpan[] | undefined, name: string) => spans?.find((span) => span.name === name);

test("a change has one trace, from its edit to the last acknowledgement, and each span lies within its parent", () => {
  const { clock, commit, push, send, end, traces } = rig();
  commit(1);
  clock.advance(14);
  push(7, [1]);
  clock.advance(1);
  send("a", 7);
  clock.advance(5);
  end("a", 7);
  expect(traces()).toEqual([]);
  clock.advance(100);
  const [spans = [], ...others] = traces();
  expect(others).toEqual([]);
  expect(nameTree(spans)).toEqual([
    ["change", ""],
    ["read", "change"],
    ["commit", "change"],
    ["debounce", "change"],
    ["generate", "change"],
    ["push RDS", "change"],
    ["acknowledge", "change"],
    ["slow proxy", "acknowledge"],
  ]);
  expect(spans.map(({ startAt, endAt }) => [startAt - 51_000, endAt - 51_000])).toEqual([
    [-28, 22],
    [-28, 0],
    [0, 2],
    [2, 12],
    [12, 16],
    [17, 17],
    [16, 22],
    [16, 22],
  ]);
  const [root] = spans;
  expect(root?.attributes).toMatchObject({
    "binnacle.change.id": "s-1",
    "binnacle.object": "VirtualService/shop/reviews",
    "binnacle.object.place": "mesh/reviews.yaml:3",
    "binnacle.push.number": 7,
  });
  expect(root?.error).toBeUndefined();
  expect(find(spans, "push RDS")?.attributes).toMatchObject({ "binnacle.push.bytes": 100, "binnacle.push.proxies": 1 });
});

test("a push to 2 000 proxies has as few spans as one to six, with the slowest proxies by name", () => {
  const spanNames = [6, 2_000].map((proxies) => {
    const { clock, commit, push, send, end, traces } = rig();
    commit(1);
    push(1, [1]);
    for (let proxy = 0; proxy < proxies; proxy++) send(`p${proxy}`, 1);
    for (let proxy = 0; proxy < proxies; proxy++) {
      clock.advance(0.01);
      end(`p${proxy}`, 1);
    }
    clock.advance(100);
    const [spans = []] = traces();
    const slow = spans
      .filter(({ name }) => name === "slow proxy")
      .map(({ attributes }) => Object.values(attributes)[0]);
    expect(slow).toEqual([1, 2, 3, 4, 5].map((rank) => `p${proxies - rank}`));
    expect(find(spans, "push RDS")?.attributes).toMatchObject({
      "binnacle.push.proxies": proxies,
      "binnacle.push.bytes": 100 * proxies,
    });
    return spans.map(({ name }) => name);
  });
  expect(spanNames[1]).toEqual(spanNames[0]);
});

test("a rejection is an error with the words of the proxy and the line of the object", () => {
  const { clock, commit, push, send, reject, end, traces } = rig();
  commit(1);
  push(1, [1]);
  for (const node of ["a", "b"]) {
    send(node, 1);
    clock.advance(3);
    reject(node, 1);
    end(node, 1, "rejected");
  }
  clock.advance(100);
  const [spans = []] = traces();
  const error = "RDS rejected: bad regex (VirtualService/shop/reviews mesh/reviews.yaml:3)";
  expect(find(spans, "change")?.error).toBe(error);
  const rejections = spans.filter(({ name }) => name === "rejection");
  expect(rejections).toMatchObject([{ error, attributes: { "binnacle.proxy.nodes": ["a", "b"] } }]);
});

test("all changes of one push have a trace, and the later ones link to the first", () => {
  const { clock, commit, push, send, end, traces } = rig();
  commit(1);
  commit(2);
  push(1, [1, 2]);
  send("a", 1);
  end("a", 1);
  clock.advance(100);
  const [first = [], second = []] = traces();
  expect(find(first, "acknowledge")).toBeDefined();
  expect(find(second, "acknowledge")).toBeUndefined();
  const root = find(first, "change");
  expect(find(second, "change")?.links).toMatchObject([{ traceId: root?.traceId, spanId: root?.spanId }]);
});

test("a change that no proxy needs has a trace without a push", () => {
  const { clock, commit, traces } = rig();
  commit(1, false);
  clock.advance(100);
  const [spans = []] = traces();
  expect(spans.map(({ name }) => name)).toEqual(["change", "read", "commit"]);
  expect(spans[0]?.attributes).toMatchObject({ "binnacle.change.stage": "not pushed" });
});

test("a failed push is an event of the wait, and the change is traced with the push that succeeds", () => {
  const { clock, commit, push, fail, traces } = rig();
  commit(1);
  fail("no memory");
  clock.advance(300);
  expect(traces()).toEqual([]);
  push(1, [1]);
  clock.advance(100);
  const [spans] = traces();
  expect(find(spans, "debounce")?.events).toMatchObject([
    { name: "push failed", attributes: { "binnacle.rejection.message": "no memory" } },
  ]);
});

test("a proxy that never answers holds a trace for a minute, and then counts as behind", () => {
  const { clock, commit, push, send, traces } = rig();
  commit(1);
  push(1, [1]);
  send("silent", 1);
  clock.advance(59_000);
  expect(traces()).toEqual([]);
  clock.advance(1_200);
  expect(find(traces()[0], "acknowledge")?.attributes).toMatchObject({ "binnacle.push.behind": 1 });
  expect(clock.pending).toBe(0);
});

test("only so many pushes are followed at a time: the oldest trace ends as it is", () => {
  const { commit, push, send, traces } = rig();
  for (let number = 1; number <= 105; number++) {
    commit(number);
    push(number, [number]);
    send("silent", number);
  }
  expect(traces().length).toBe(5);
});

test("a stop completes the traces under way", () => {
  const { clock, tracer, commit, push, send, traces } = rig();
  commit(1);
  push(1, [1]);
  send("a", 1);
  tracer.flush();
  expect(traces()).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
