import { describe, expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import {
  brokenSource,
  processorRig,
  rigMemory,
  rigOutput,
  ScriptedSource,
} from "../../testing/galley/processor-rig.ts";
import type { Source } from "../source/source.ts";
import { Processor } from "./processor.ts";
import type { Transformer } from "./transformer.ts";
import { direct } from "./transforms/direct.ts";

const issue = { severity: "error", code: "bad-value", object: "", path: "", message: "bad", place: undefined } as const;

function ownedBy(source: string): Config {
  const config = fakeConfig({ name: "reviews" });
  return { ...config, origin: { ...config.origin, source } };
}

describe("the processor", () => {
  test("publishes the objects of a source at its full sync, in one commit", async () => {
    const source = rigMemory("one");
    source.set("in", fakeConfig({ name: "reviews" }));
    source.set("in", fakeConfig({ name: "details" }));
    const { processor, entries, commits } = processorRig([source]);
    expect(entries.synced).toBe(false);
    await processor.start();
    expect(entries.synced).toBe(true);
    expect(commits).toHaveLength(1);
    expect(entries.size).toBe(2);
  });

  test("is synced when every source is synced", async () => {
    const quick = rigMemory("quick");
    const slow = Promise.withResolvers<void>();
    const late = rigMemory("late");
    const delayed: Source = {
      name: "late",
      collections: ["in"],
      start: (handler) => slow.promise.then(() => late.start(handler)),
      stop: () => late.stop(),
      idle: () => late.idle(),
    };
    const { processor, entries } = processorRig([quick, delayed]);
    const started = processor.start();
    quick.set("in", fakeConfig({ name: "reviews" }));
    expect(entries.synced).toBe(false);
    expect(processor.health()).toMatchObject([
      { name: "quick", state: "synced", awaited: [] },
      { name: "late", state: "syncing", awaited: ["in"] },
    ]);
    slow.resolve();
    await started;
    expect(entries.synced).toBe(true);
  });

  test("uses the object of the first source, and lists the duplicates of other sources", async () => {
    const [first, second] = [rigMemory("first"), rigMemory("second")];
    first.set("in", fakeConfig({ name: "reviews", version: "first" }));
    second.set("in", fakeConfig({ name: "reviews", version: "second" }));
    const { processor, entries } = processorRig([first, second]);
    await processor.start();
    expect(entries.get("shop/reviews")?.version).toBe("first");
    expect(processor.clashes()).toEqual([
      { collection: "in", key: "shop/reviews", claimants: ["first in", "second in"] },
    ]);
    first.delete("in", "shop/reviews");
    expect(entries.get("shop/reviews")?.version).toBe("second");
    expect(processor.clashes()).toEqual([]);
  });

  test("reports a change when an equal object comes from another source", async () => {
    const [first, second] = [rigMemory("first"), rigMemory("second")];
    const { processor, entries } = processorRig([first, second]);
    await processor.start();
    first.set("in", ownedBy("first"));
    second.set("in", ownedBy("second"));
    expect(entries.get("shop/reviews")?.origin.source).toBe("first");
    first.delete("in", "shop/reviews");
    expect(entries.get("shop/reviews")?.origin.source).toBe("second");
  });

  test("turns a reset into a difference, without a gap for equal objects", async () => {
    const source = rigMemory("one");
    source.set("in", fakeConfig({ name: "reviews" }));
    source.set("in", fakeConfig({ name: "details" }));
    const { processor, commits, changes } = processorRig([source]);
    await processor.start();
    commits.length = 0;
    changes.length = 0;
    source.reset();
    expect(commits).toEqual([]);
    await processor.stop();
    source.delete("in", "shop/details");
    source.set("in", fakeConfig({ name: "ratings" }));
    await processor.start();
    expect(changes).toEqual([["-details", "+ratings@1"]]);
  });

  test("keeps the objects of a source until its full sync after a reset", async () => {
    const source = new ScriptedSource();
    const { processor, entries, changes } = processorRig([source]);
    await processor.start();
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
    source.say({ type: "fullSync", collection: "in" });
    source.say({ type: "reset" });
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "details" }) });
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "passing" }) });
    source.say({ type: "deleted", collection: "in", key: "shop/passing" });
    expect(entries.get("shop/reviews")).toBeDefined();
    expect(processor.health()).toMatchObject([{ state: "syncing" }]);
    source.say({ type: "fullSync", collection: "in" });
    expect(changes.slice(1)).toEqual([["+details@1", "-reviews"]]);
    await processor.stop();
    source.say({ type: "deleted", collection: "in", key: "shop/details" });
    expect(entries.size).toBe(1);
    expect(processor.health()).toMatchObject([{ state: "stopped" }]);
  });

  test("publishes all collections of a source in one commit, when the last one is complete", async () => {
    const source = new ScriptedSource(["in", "other"]);
    const other = { collection: "out/other", group: "default" } as const;
    const { processor, entries } = processorRig([source], [direct("in", rigOutput), direct("other", other)]);
    const others = processor.outputs.get("out/other");
    await processor.start();
    const tell = (version: string, ...collections: readonly string[]) => {
      for (const collection of collections) {
        source.say({ type: "upserted", collection, config: fakeConfig({ name: "reviews", version }) });
        source.say({ type: "fullSync", collection });
      }
    };
    const versions = () => [entries, others].map((collection) => collection?.get("shop/reviews")?.version);
    tell("1", "in");
    expect(versions()).toEqual([undefined, undefined]);
    tell("1", "other");
    expect(versions()).toEqual(["1", "1"]);
    source.say({ type: "reset" });
    tell("2", "in");
    expect(versions()).toEqual(["1", "1"]);
    expect(processor.health()).toMatchObject([{ state: "syncing", awaited: ["other"] }]);
    tell("2", "other");
    expect(versions()).toEqual(["2", "2"]);
  });

  test("continues without an overdue source, and adds it in one commit when it has synced", async () => {
    const [source, required] = [new ScriptedSource(), rigMemory("required")];
    required.set("in", fakeConfig({ name: "details" }));
    const { processor, entries } = processorRig([required, source]);
    await processor.start();
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
    expect(entries.synced).toBe(false);
    source.say({ type: "overdue" });
    expect([entries.synced, entries.size]).toEqual([true, 1]);
    expect(processor.health()).toMatchObject([{ state: "synced" }, { state: "syncing" }]);
    source.say({ type: "fullSync", collection: "in" });
    expect(entries.size).toBe(2);
  });

  test("accepts any number of events while its sources start", async () => {
    const source = rigMemory("one");
    const names = Array.from({ length: 5000 }, (_, index) => `service-${index}`);
    const chatty: Source = {
      name: "chatty",
      collections: ["in"],
      start(handler) {
        for (const name of names) handler([{ type: "upserted", collection: "in", config: fakeConfig({ name }) }]);
        handler([{ type: "fullSync", collection: "in" }]);
        return Promise.resolve();
      },
      stop: () => Promise.resolve(),
      idle: () => Promise.resolve(),
    };
    const { processor, entries, commits } = processorRig([source, chatty]);
    await processor.start();
    expect(entries.size).toBe(names.length);
    expect(commits.length).toBeLessThanOrEqual(2);
  });

  test("ignores the deletion of an unknown object", async () => {
    const source = new ScriptedSource();
    const { processor, commits } = processorRig([source]);
    await processor.start();
    source.say({ type: "fullSync", collection: "in" });
    const before = commits.length;
    source.say({ type: "deleted", collection: "in", key: "shop/unheard" });
    expect(commits).toHaveLength(before);
  });

  test("reports why a source is stale, until it is fresh or starts again", async () => {
    const source = new ScriptedSource();
    const { processor } = processorRig([source]);
    const stale = () => processor.health().map((each) => each.stale);
    await processor.start();
    source.say({ type: "stale", reason: "it hung up" });
    expect(stale()).toEqual(["it hung up"]);
    source.say({ type: "fresh" });
    expect(stale()).toEqual([undefined]);
    source.say({ type: "stale", reason: "it hung up" });
    await processor.stop();
    expect(processor.health()).toMatchObject([{ state: "stopped", holdsUp: true }]);
    await processor.start();
    expect(stale()).toEqual([undefined]);
  });

  test("counts the objects of all sources once, and hands out the collections of a group", async () => {
    const [one, two] = [rigMemory("one"), rigMemory("two")];
    const { processor } = processorRig([one, two]);
    await processor.start();
    for (const source of [one, two]) source.set("in", fakeConfig({ name: "reviews" }));
    one.set("in", fakeConfig({ name: "ratings" }));
    await processor.idle();
    expect(processor.objects).toBe(2);
    expect([...processor.outputsOf("default").keys()]).toEqual(["out"]);
    expect([...processor.outputsOf("syntheticServiceEntry").keys()]).toEqual([]);
  });

  test("treats a repeated full sync as one", async () => {
    const source = new ScriptedSource();
    const { processor, entries } = processorRig([source]);
    await processor.start();
    source.say({ type: "fullSync", collection: "in" });
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
    source.say({ type: "fullSync", collection: "in" });
    expect(entries.size).toBe(1);
  });

  test("can be started several times, and is started when its sources are", async () => {
    const up = Promise.withResolvers<void>();
    const calm = { stop: () => Promise.resolve(), idle: () => Promise.resolve() };
    const { processor } = processorRig([{ name: "one", collections: ["in"], start: () => up.promise, ...calm }]);
    const states: string[] = [];
    const starts = ["first", "second"].map((name) => processor.start().then(() => states.push(name)));
    await Promise.resolve();
    expect(states).toEqual([]);
    up.resolve();
    await Promise.all(starts);
    expect(states).toEqual(["first", "second"]);
  });

  test("reports a moved object as a change, and an equal object as none", async () => {
    const source = rigMemory("one");
    const { processor, changes, commits } = processorRig([source]);
    await processor.start();
    source.set("in", fakeConfig({ name: "reviews", line: 1 }));
    source.set("in", fakeConfig({ name: "reviews", line: 1 }));
    source.set("in", fakeConfig({ name: "reviews", line: 9 }));
    expect(changes).toHaveLength(2);
    expect(commits).toHaveLength(3);
  });

  test("keeps the issues of each part, and forgets them when the source starts over", async () => {
    const source = rigMemory("one");
    const { processor } = processorRig([source]);
    await processor.start();
    source.report("a.yaml", [issue]);
    source.report("b.yaml", [issue]);
    source.report("b.yaml", []);
    expect([...processor.issues.values()]).toEqual([{ source: "one", part: "a.yaml", issues: [issue] }]);
    await processor.stop();
    source.report("a.yaml", []);
    await processor.start();
    expect(processor.issues.size).toBe(0);
  });

  test.each([
    ["errors by default", {}, "error"],
    ["errors without allowUnenforced", { allowUnenforced: false }, "error"],
    ["warnings with allowUnenforced", { allowUnenforced: true }, "warning"],
  ])(
    "reports objects without enforcement as %s, also for sources that are added later",
    async (_, options, severity) => {
      const [one, two] = [rigMemory("one"), rigMemory("two")];
      for (const source of [one, two]) source.report("a.yaml", [{ ...issue, code: "no-effect" }, issue]);
      const processor = new Processor({ graph: new Graph(), sources: [one], transforms: [], ...options });
      await processor.start();
      await processor.replaceSources([one, two]);
      const issues = [{ ...issue, code: "no-effect", severity }, issue];
      expect([...processor.issues.values()]).toEqual(
        ["one", "two"].map((source) => ({ source, part: "a.yaml", issues })),
      );
    },
  );

  test("stops every source when one cannot start", async () => {
    const healthy = rigMemory("healthy");
    const { processor, entries } = processorRig([healthy, brokenSource]);
    await expect(processor.start()).rejects.toThrow("no such directory");
    healthy.set("in", fakeConfig({ name: "reviews" }));
    expect(entries.size).toBe(0);
    expect(processor.health().map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("can be stopped before its start, twice, and while its sources start", async () => {
    const source = rigMemory("one");
    const up = Promise.withResolvers<void>();
    const slow: Source = {
      name: "slow",
      collections: ["in"],
      start: () => up.promise,
      stop: () => Promise.resolve(up.resolve()),
      idle: () => Promise.resolve(),
    };
    const { processor } = processorRig([source, slow]);
    await processor.stop();
    await processor.stop();
    const starting = processor.start();
    await processor.stop();
    await starting;
    expect(processor.health().map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("treats a collection without a source as empty and synced", () => {
    expect(processorRig([]).entries).toMatchObject({ synced: true, size: 0 });
  });

  test("merges the outputs of several transformers, and the earlier one wins", async () => {
    const source = rigMemory("one");
    const made: Transformer = {
      name: "made",
      inputs: ["in"],
      outputs: [rigOutput],
      install: (graph, input) => {
        const copies = graph.derive({
          name: "made/out",
          from: input("in"),
          key: ({ name }) => `shop/${name}`,
          to: (config: Config) => [
            { ...config, version: "made" },
            { ...config, name: `${config.name}-copy`, version: "made" },
          ],
        });
        return new Map([["out", copies]]);
      },
    };
    const { processor, entries } = processorRig([source], [direct("in", rigOutput), made]);
    await processor.start();
    source.set("in", fakeConfig({ name: "reviews" }));
    expect(entries.get("shop/reviews")?.version).toBe("1");
    expect(entries.get("shop/reviews-copy")?.version).toBe("made");
    expect(processor.clashes()).toHaveLength(1);
  });
});
