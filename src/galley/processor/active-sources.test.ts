import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { brokenSource, processorRig, rigMemory, ScriptedSource } from "../../testing/galley/processor-rig.ts";
import { MemorySource } from "../source/memory-source.ts";

const issue = { severity: "error", code: "bad-value", object: "", path: "", message: "bad", place: undefined } as const;

/** Two sources that run, and what became of the one object that both have. */
async function running() {
  const [first, second] = [rigMemory("first"), rigMemory("second")];
  first.set("in", fakeConfig({ name: "reviews", version: "first" }));
  second.set("in", fakeConfig({ name: "reviews", version: "second" }));
  const rigged = processorRig([first, second]);
  await rigged.processor.start();
  rigged.commits.length = 0;
  rigged.changes.length = 0;
  return { first, second, ...rigged };
}

/** Its end takes longer than everything else that happens at once. */
class SlowToStop extends MemorySource {
  stops = 0;

  override async stop(): Promise<void> {
    await setImmediate();
    await super.stop();
    this.stops += 1;
  }
}

function slowToStop(name: string): SlowToStop {
  return new SlowToStop({ name, collections: ["in"] });
}

describe("sources that are added and removed", () => {
  test("leave the objects of other sources in place, in one commit", async () => {
    const { first, second, processor, commits, changes } = await running();
    first.set("in", fakeConfig({ name: "details" }));
    first.report("a.yaml", [issue]);
    commits.length = 0;
    changes.length = 0;
    await processor.replaceSources([second]);
    expect(changes).toEqual([["-details", "+reviews@second"]]);
    expect(commits).toHaveLength(1);
    expect(processor.clashes()).toEqual([]);
    expect([...processor.issues.values()]).toEqual([]);
    expect(processor.health().map(({ name }) => name)).toEqual(["second"]);
    first.set("in", fakeConfig({ name: "ratings" }));
    expect(commits).toHaveLength(1);
  });

  test("win by their position in the list", async () => {
    const { first, second, processor, changes } = await running();
    await processor.replaceSources([second, first]);
    expect(changes).toEqual([["+reviews@second"]]);
    expect(processor.clashes()).toMatchObject([{ claimants: ["second in", "first in"] }]);
  });

  test("are not affected by an added source, which is used once it has synced", async () => {
    const { first, second, processor, entries, changes } = await running();
    const late = new ScriptedSource();
    await processor.replaceSources([late, first, second]);
    late.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews", version: "late" }) });
    expect(entries.get("shop/reviews")?.version).toBe("first");
    expect(processor.health()).toMatchObject([
      { name: "scripted", state: "syncing", holdsUp: false },
      { name: "first", state: "synced", holdsUp: false },
      { name: "second", state: "synced", holdsUp: false },
    ]);
    late.say({ type: "fullSync", collection: "in" });
    expect(changes).toEqual([["+reviews@late"]]);
  });

  test("leave nothing behind when they are removed before their full sync", async () => {
    const { first, second, processor, graph, changes } = await running();
    const nodes = graph.describe().length;
    const late = new ScriptedSource();
    await processor.replaceSources([late, first, second]);
    late.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "ratings" }) });
    await processor.replaceSources([first, second]);
    late.say({ type: "fullSync", collection: "in" });
    expect(changes).toEqual([]);
    expect(graph.describe()).toHaveLength(nodes);
  });

  test("can be replaced by sources of the same name, without a gap", async () => {
    const { first, second, processor, changes } = await running();
    const again = rigMemory("first");
    again.set("in", fakeConfig({ name: "reviews", version: "first" }));
    again.report("a.yaml", [issue]);
    first.report("a.yaml", [issue]);
    await processor.replaceSources([again, second]);
    expect(changes).toEqual([]);
    expect([...processor.issues.values()]).toMatchObject([{ source: "first", part: "a.yaml" }]);
  });

  test("stay in use until their replacement has synced", async () => {
    const { first, second, processor, graph, changes } = await running();
    first.set("in", fakeConfig({ name: "details" }));
    changes.length = 0;
    const nodes = graph.describe().length;
    const next = new ScriptedSource();
    await processor.replaceSources([next, second], new Map([[next, first]]));
    next.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews", version: "next" }) });
    first.set("in", fakeConfig({ name: "ratings" }));
    expect(processor.health().map(({ name }) => name)).toEqual(["scripted", "second"]);
    expect(changes).toEqual([["+ratings@1"]]);
    next.say({ type: "fullSync", collection: "in" });
    expect(changes.slice(1)).toEqual([["-details", "-ratings", "+reviews@next"]]);
    expect(graph.describe()).toHaveLength(nodes);
  });

  test("stay in use until the last replacement has synced, and leave when there is none", async () => {
    const { first, second, processor, graph, entries } = await running();
    const nodes = graph.describe().length;
    const [one, two] = [new ScriptedSource(), new ScriptedSource()];
    await processor.replaceSources([one, second], new Map([[one, first]]));
    await processor.replaceSources([two, second], new Map([[two, one]]));
    expect(entries.get("shop/reviews")?.version).toBe("first");
    expect(graph.describe()).toHaveLength(nodes + 1);
    await processor.replaceSources([second]);
    expect(entries.get("shop/reviews")?.version).toBe("second");
    expect(graph.describe()).toHaveLength(nodes - 1);
  });

  test("do not change when an added source cannot start", async () => {
    const { first, second, processor, graph, changes } = await running();
    const nodes = graph.describe().length;
    const other = rigMemory("other");
    await expect(processor.replaceSources([other, brokenSource, second])).rejects.toThrow("no such directory");
    other.set("in", fakeConfig({ name: "ratings" }));
    expect(changes).toEqual([]);
    expect(graph.describe()).toHaveLength(nodes);
    first.set("in", fakeConfig({ name: "details" }));
    expect(changes).toEqual([["+details@1"]]);
    expect(processor.health().map(({ name }) => name)).toEqual(["first", "second"]);
  });

  test("are listed with their objects, and with the source that wins each duplicate", async () => {
    const { first, processor } = await running();
    first.set("in", fakeConfig({ name: "details" }));
    const shared = [{ collection: "in", key: "shop/reviews", winner: "first" }];
    expect(processor.shares()).toEqual([
      { source: "first", collection: "in", objects: 2, shared },
      { source: "second", collection: "in", objects: 1, shared },
    ]);
  });

  test("no longer delay the sync when they are removed", async () => {
    const source = new ScriptedSource();
    const { processor } = processorRig([source]);
    await processor.start();
    source.say({ type: "overdue" });
    expect(processor.health()).toMatchObject([{ state: "syncing", holdsUp: false }]);
  });

  test("delay the sync until they have synced once, and not after a reset", async () => {
    const source = new ScriptedSource();
    const { processor } = processorRig([source]);
    const holdsUp = () => processor.health().map((health) => health.holdsUp);
    expect(holdsUp()).toEqual([true]);
    await processor.start();
    expect(holdsUp()).toEqual([true]);
    source.say({ type: "fullSync", collection: "in" });
    expect(holdsUp()).toEqual([false]);
    source.say({ type: "reset" });
    expect(holdsUp()).toEqual([false]);
    expect(processor.health()).toMatchObject([{ state: "syncing" }]);
  });

  test("are stopped when they are removed, before the replacement ends", async () => {
    const [gone, stays] = [slowToStop("gone"), slowToStop("stays")];
    const { processor } = processorRig([gone, stays]);
    await processor.start();
    await processor.replaceSources([stays]);
    expect([gone.stops, stays.stops]).toEqual([1, 0]);
  });

  test("are stopped when another source cannot start", async () => {
    const { second, processor } = await running();
    const other = slowToStop("other");
    await expect(processor.replaceSources([other, brokenSource, second])).rejects.toThrow("no such directory");
    expect(other.stops).toBe(1);
  });

  test("leave at once when their replacement syncs during its start", async () => {
    const old = slowToStop("old");
    const { processor, graph, changes } = processorRig([old]);
    await processor.start();
    old.set("in", fakeConfig({ name: "reviews", version: "old" }));
    const nodes = graph.describe().length;
    changes.length = 0;
    const next = rigMemory("next");
    next.set("in", fakeConfig({ name: "details", version: "next" }));
    await processor.replaceSources([next], new Map([[next, old]]));
    expect(changes).toEqual([["+details@next", "-reviews"]]);
    expect(graph.describe()).toHaveLength(nodes);
    expect(old.stops).toBe(1);
  });

  test("do not wait for sources that are added beside them", async () => {
    const { first, second, processor, graph } = await running();
    const nodes = graph.describe().length;
    const late = new ScriptedSource();
    await processor.replaceSources([late, second], new Map([[new ScriptedSource(), first]]));
    expect(graph.describe()).toHaveLength(nodes);
    first.set("in", fakeConfig({ name: "ratings" }));
    expect(processor.objects).toBe(1);
  });

  test("are stopped with the processor, also before they have synced", async () => {
    const up = Promise.withResolvers<void>();
    const late = slowToStop("late");
    late.start = () => up.promise;
    const { processor } = await running();
    const replaced = processor.replaceSources([late]);
    const stopped = processor.stop();
    up.resolve();
    await Promise.all([replaced, stopped]);
    expect(processor.health()).toMatchObject([{ name: "late", state: "stopped" }]);
    expect(late.stops).toBe(1);
  });
});
