import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { type Action, action, WaitStory } from "./object-wait/wait-story.ts";

test("a wait never ends before all proxies acknowledged the bytes of the object, and ends after the last one", async () => {
  const ends = { live: 0, others: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
      const story = await WaitStory.begin();
      for (const next of actions) {
        await story.run(next);
        expect(story.mistakes).toEqual([]);
      }
      await story.settle();
      expect(story.mistakes).toEqual([]);
      expect(story.open).toEqual([]);
      for (const { state } of story.ended) ends[state === "live" ? "live" : "others"]++;
    }),
    { seed, numRuns: runs(12) },
  );
  expect(ends.live).toBeGreaterThan(runs(12));
}, 600_000);

const edit = (name: "a" | "b" | "e" | "s"): Action => ({ type: "edit", name });
const wait = (name: "a" | "b" | "e" | "s"): Action => ({ type: "wait for", name });
const step = (proxy: number): Action => ({ type: "step", proxy });

test("a wait ends in the turn of the last acknowledgement", async () => {
  const story = await WaitStory.begin();
  await story.run(edit("a"));
  await story.run(wait("a"));
  for (const proxy of [0, 1, 2]) await story.run(step(proxy));
  expect(story.open).toHaveLength(1);
  story.proxies[3]?.model.step();
  for (let turns = 0; turns < 5; turns++) await Promise.resolve();
  expect(story.ended).toMatchObject([{ state: "live", isMet: true, proxies: { connected: 4, reached: 4, live: 4 } }]);
});

test("an edit that is undone before a proxy saw it needs no answer", async () => {
  const story = await WaitStory.begin();
  await story.run(edit("a"));
  await story.run({ type: "revert", name: "a" });
  await story.run(wait("a"));
  expect(story.open).toHaveLength(1);
  await story.settle();
  expect(story.ended).toMatchObject([{ state: "live", version: story.firstVersions.a }]);
});

test("a rejection names the proxy, the resource and the words, and ends the wait", async () => {
  const story = await WaitStory.begin();
  await story.run({ type: "reject", proxy: 1 });
  await story.run(edit("a"));
  await story.run(wait("a"));
  for (const proxy of [0, 2, 3, 1]) await story.run(step(proxy));
  const [report] = story.ended;
  expect(report).toMatchObject({ state: "rejected", isMet: false, proxies: { reached: 4, live: 3 } });
  expect(report?.missing).toMatchObject([
    { node: story.proxies[1]?.node, type: "RDS", resources: ["80"], why: "rejected", message: "rejected by the model" },
  ]);
});

test("a push that waits for an earlier answer is unsent, and a proxy that joins later has to acknowledge", async () => {
  const story = await WaitStory.begin();
  await story.run(edit("b"));
  await story.run(edit("a"));
  const missing = () => story.report("a").missing.map(({ node, type, why }) => `${node.split("~")[2]} ${type} ${why}`);
  expect(missing()).toEqual([0, 1, 2, 3].map((index) => `p${index}.shop RDS unsent`));
  for (const proxy of [0, 1, 2, 3]) await story.run(step(proxy));
  expect(missing()).toEqual([0, 1, 2, 3].map((index) => `p${index}.shop RDS unacknowledged`));
  for (const proxy of [0, 1, 2, 3]) await story.run(step(proxy));
  expect(missing()).toEqual([]);
  await story.run({ type: "join" });
  expect(missing()).toContain("p4.shop CDS unacknowledged");
  await story.settle();
  expect(story.report("a")).toMatchObject({ state: "live", proxies: { connected: 5, live: 5 } });
});

test("a deleted object is gone when every proxy acknowledged a state without it", async () => {
  const story = await WaitStory.begin();
  const deleted = story.waitFor("a", "deleted");
  expect(story.report("a", "deleted").state).toBe("present");
  story.delete("a");
  await story.pushed();
  for (const proxy of [0, 1, 2]) await story.run(step(proxy));
  expect(story.report("a", "deleted")).toMatchObject({ state: "pending", missing: [{ why: "unacknowledged" }] });
  await story.settle();
  expect(await deleted).toMatchObject({ state: "deleted", isMet: true, version: "" });
  expect(story.report("a").state).toBe("unknown");
});

test("content that the server has not read is awaited", async () => {
  const story = await WaitStory.begin();
  const version = story.versionAfterEdit("a");
  const waiting = story.waitFor("a", "live", { version });
  expect(story.report("a", "live", { version }).state).toBe("other content");
  await story.run(edit("a"));
  await story.settle();
  expect(await waiting).toMatchObject({ state: "live", version });
});

test("named proxies must be connected, and labels choose proxies", async () => {
  const story = await WaitStory.begin();
  const named = (text: string) => story.report("a", "acked", { proxies: [text] });
  expect(named("p1.shop")).toMatchObject({ isMet: true, proxies: { connected: 1 } });
  expect(named("p9.shop")).toMatchObject({ isMet: false, missing: [{ node: "p9.shop", why: "not connected" }] });
  expect(named("app=p2")).toMatchObject({ isMet: true, proxies: { connected: 1 } });
  expect(named("namespace/shop")).toMatchObject({ isMet: true, proxies: { connected: 4 } });
});

test("an object without proxies is unused, and never live by accident", async () => {
  const story = await WaitStory.begin({ proxies: 0 });
  expect(story.report("a")).toMatchObject({ state: "unused", isMet: false, isFinal: false });
  expect(story.report("a", "live", { allowNone: true })).toMatchObject({ state: "unused", isMet: true });
});

test("content that waits for its push is not live", async () => {
  const story = await WaitStory.begin();
  story.editWithoutPush("a");
  expect(story.report("a")).toMatchObject({ state: "pending", waits: true, missing: [] });
  await story.settle();
  expect(story.report("a")).toMatchObject({ state: "live", waits: false });
});

test("a rejected resource that names another object leaves it unclear whether the object is in force", async () => {
  const story = await WaitStory.begin();
  await story.run({ type: "reject", proxy: 1 });
  await story.run(edit("s"));
  for (let round = 0; round < 6; round++) for (const proxy of [0, 1, 2, 3]) await story.run(step(proxy));
  const { state, missing } = story.report("s");
  expect(state).toBe("pending");
  // The removal of clusters waits for the routes without them.
  expect(missing.map(({ node, type, why }) => `${node.split("~")[2]} ${type} ${why}`)).toEqual([
    "p1.shop CDS unsent",
    "p1.shop EDS unsent",
    "p1.shop RDS unclear",
  ]);
});
