import { expect, test } from "vitest";
import { Overload } from "../lib/overload/overload.ts";
import { overloadPage } from "./overload.ts";
import { PageLoad } from "./page-load.ts";

const debugPage = {};

function rig() {
  const overload = new Overload();
  const time = { now: 0 };
  const load = new PageLoad(overload, () => time.now);
  const fill = (usedBytes: number) => {
    const heap = { usedBytes, limitBytes: 100 };
    overload.measured({ loopDelayMs: 0, heap, resident: { ...heap, usedBytes: 0 }, queueMs: 0 });
  };
  return { overload, load, fill, time };
}

test("an idle server serves every page", () => {
  const { load } = rig();
  for (let request = 0; request < 100; request++) expect(load.refusalOf(debugPage)).toBeUndefined();
});

test("a server with elevated load serves one page a second", () => {
  const { load, fill, time, overload } = rig();
  fill(80);
  const isServed = () => load.refusalOf(debugPage) === undefined;
  expect([isServed(), isServed()]).toEqual([true, false]);
  time.now = 999;
  expect(isServed()).toBe(false);
  time.now = 1_000;
  expect([isServed(), isServed()]).toEqual([true, false]);
  expect(overload.shedCounts.get("pages")).toBe(3);
});

test("an overloaded server refuses pages with a reason and a time, but not probes and the page about its load", () => {
  const { load, fill, overload } = rig();
  fill(91);
  expect(load.refusalOf(debugPage)).toEqual({
    status: 503,
    contentType: "text/plain; charset=utf-8",
    body: "the server is overloaded: the heap is 91 % of 0 MiB full; see /debug/overload, and try again later\n",
    headers: { "retry-after": "5" },
  });
  expect(load.refusalOf({ open: true })).toBeUndefined();
  expect(load.refusalOf(overloadPage(overload, () => 0))).toBeUndefined();
});

test("the page about the load names the level, the reason, an advice, and the work that is shed", async () => {
  const { fill, overload } = rig();
  const page = async () =>
    JSON.parse((await overloadPage(overload, () => 2).answer(new URLSearchParams())).body) as object;
  expect(await page()).toMatchObject({ level: "normal", reason: "", advice: "", resources: [], mainThreadStalls: 2 });
  fill(96);
  overload.shed("streams");
  expect(await page()).toMatchObject({
    level: "critical",
    reason: "the heap is 96 % of 0 MiB full",
    advice: expect.stringContaining("--max-old-space-size") as string,
    resources: [
      { resource: "event loop", value: 0, elevated: 250, high: 1_000, critical: 3_000 },
      { resource: "heap", value: 0.96 },
      { resource: "memory", value: 0 },
      { resource: "push queue", value: 0 },
    ],
    work: [
      { class: "removals", pace: "usual", shed: 0 },
      { class: "security", pace: "usual", shed: 0 },
      { class: "configuration", pace: "slowest", shed: 0 },
      { class: "streams", pace: "refused", shed: 1 },
      { class: "pages", pace: "refused", shed: 0 },
      { class: "status", pace: "slowest", shed: 0 },
    ],
  });
});
