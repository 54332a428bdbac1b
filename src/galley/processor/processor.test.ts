import { describe, expect, test } from "vitest";
import type { Change, Commit } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { fakeConfig } from "../../testing/fake-config.ts";
import { MemorySource } from "../source/memory.ts";
import type { Source, SourceEvent, SourceHandler } from "../source/source.ts";
import { Processor } from "./processor.ts";
import type { Transformer } from "./transformer.ts";
import { direct } from "./transforms/direct.ts";

const output = { collection: "out", group: "default" } as const;
const issue = { severity: "error", code: "bad", object: "", path: "", message: "bad", place: undefined } as const;

function memory(name: string): MemorySource {
  return new MemorySource({ name, collections: ["in"] });
}

const broken: Source = {
  name: "broken",
  collections: ["in"],
  start: () => Promise.reject(new Error("no such directory")),
  stop: () => Promise.resolve(),
  idle: () => Promise.resolve(),
};

/** Says what the test says. */
class ScriptedSource implements Source {
  readonly name = "scripted";
  readonly collections: readonly string[];
  #handler: SourceHandler | undefined;

  constructor(collections: readonly string[] = ["in"]) {
    this.collections = collections;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return Promise.resolve();
  }

  /** Does not stop: the processor must not depend on it. */
  stop(): Promise<void> {
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  say(event: SourceEvent): void {
    this.#handler?.([event]);
  }
}

function rig(sources: readonly Source[], transforms: readonly Transformer[] = [direct("in", output)]) {
  const graph = new Graph();
  const processor = new Processor({ graph, sources, transforms });
  const entries = processor.outputs.get("out");
  if (entries === undefined) throw new Error("the transformers make it");
  const commits: Commit[] = [];
  /** What each commit did to the output, if anything. */
  const changes: (readonly string[])[] = [];
  graph.onCommit((commit) => {
    commits.push(commit);
    const done = commit.changesOf(entries).map(told);
    if (done.length > 0) changes.push(done);
  });
  return { graph, processor, entries, commits, changes };
}

function ownedBy(source: string): Config {
  const config = fakeConfig({ name: "reviews" });
  return { ...config, origin: { ...config.origin, source } };
}

function told(change: Change<Config>): string {
  return change.type === "removed" ? `-${change.before.name}` : `+${change.after.name}@${change.after.version}`;
}

describe("the processor", () => {
  test("shows what a source has at its full sync, in one commit", async () => {
    const source = memory("one");
    source.set("in", fakeConfig({ name: "reviews" }));
    source.set("in", fakeConfig({ name: "details" }));
    const { processor, entries, commits } = rig([source]);
    expect(entries.synced).toBe(false);
    await processor.start();
    expect(entries.synced).toBe(true);
    expect(commits).toHaveLength(1);
    expect(entries.size).toBe(2);
  });

  test("is synced only when every source is", async () => {
    const quick = memory("quick");
    const slow = Promise.withResolvers<void>();
    const late = memory("late");
    const delayed: Source = {
      name: "late",
      collections: ["in"],
      start: (handler) => slow.promise.then(() => late.start(handler)),
      stop: () => late.stop(),
      idle: () => late.idle(),
    };
    const { processor, entries } = rig([quick, delayed]);
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

  test("lets the first source win an object that several have, and lists the clash", async () => {
    const [first, second] = [memory("first"), memory("second")];
    first.set("in", fakeConfig({ name: "reviews", version: "first" }));
    second.set("in", fakeConfig({ name: "reviews", version: "second" }));
    const { processor, entries } = rig([first, second]);
    await processor.start();
    expect(entries.get("shop/reviews")?.version).toBe("first");
    expect(processor.clashes()).toEqual([
      { collection: "in", key: "shop/reviews", claimants: ["first in", "second in"] },
    ]);
    first.delete("in", "shop/reviews");
    expect(entries.get("shop/reviews")?.version).toBe("second");
    expect(processor.clashes()).toEqual([]);
  });

  test("notices that an object is another source's now, although it says the same", async () => {
    const [first, second] = [memory("first"), memory("second")];
    const { processor, entries } = rig([first, second]);
    await processor.start();
    first.set("in", ownedBy("first"));
    second.set("in", ownedBy("second"));
    expect(entries.get("shop/reviews")?.origin.source).toBe("first");
    first.delete("in", "shop/reviews");
    expect(entries.get("shop/reviews")?.origin.source).toBe("second");
  });

  test("turns a reset into a difference: what stayed the same does not blink", async () => {
    const source = memory("one");
    source.set("in", fakeConfig({ name: "reviews" }));
    source.set("in", fakeConfig({ name: "details" }));
    const { processor, commits, changes } = rig([source]);
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

  test("keeps what it has while a source that was reset speaks again", async () => {
    const source = new ScriptedSource();
    const { processor, entries, changes } = rig([source]);
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

  test("shows all that a source told at once, when the last of its collections is complete", async () => {
    const source = new ScriptedSource(["in", "other"]);
    const other = { collection: "out/other", group: "default" } as const;
    const { processor, entries } = rig([source], [direct("in", output), direct("other", other)]);
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

  test("goes on without a source that is overdue, and takes it in, whole, when it has synced", async () => {
    const [source, required] = [new ScriptedSource(), memory("required")];
    required.set("in", fakeConfig({ name: "details" }));
    const { processor, entries } = rig([required, source]);
    await processor.start();
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
    expect(entries.synced).toBe(false);
    source.say({ type: "overdue" });
    expect([entries.synced, entries.size]).toEqual([true, 1]);
    expect(processor.health()).toMatchObject([{ state: "synced" }, { state: "syncing" }]);
    source.say({ type: "fullSync", collection: "in" });
    expect(entries.size).toBe(2);
  });

  test("takes any number of events while its sources start", async () => {
    const source = memory("one");
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
    const { processor, entries, commits } = rig([source, chatty]);
    await processor.start();
    expect(entries.size).toBe(names.length);
    expect(commits.length).toBeLessThanOrEqual(2);
  });

  test("changes nothing for a deletion of what is not there", async () => {
    const source = new ScriptedSource();
    const { processor, commits } = rig([source]);
    await processor.start();
    source.say({ type: "fullSync", collection: "in" });
    const before = commits.length;
    source.say({ type: "deleted", collection: "in", key: "shop/unheard" });
    expect(commits).toHaveLength(before);
  });

  test("takes a full sync that is said twice for one", async () => {
    const source = new ScriptedSource();
    const { processor, entries } = rig([source]);
    await processor.start();
    source.say({ type: "fullSync", collection: "in" });
    source.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
    source.say({ type: "fullSync", collection: "in" });
    expect(entries.size).toBe(1);
  });

  test("is up, however often it is asked, when its sources are", async () => {
    const up = Promise.withResolvers<void>();
    const calm = { stop: () => Promise.resolve(), idle: () => Promise.resolve() };
    const { processor } = rig([{ name: "one", collections: ["in"], start: () => up.promise, ...calm }]);
    const states: string[] = [];
    const starts = ["first", "second"].map((name) => processor.start().then(() => states.push(name)));
    await Promise.resolve();
    expect(states).toEqual([]);
    up.resolve();
    await Promise.all(starts);
    expect(states).toEqual(["first", "second"]);
  });

  test("takes an object that only moved for a change, and one that is the same for none", async () => {
    const source = memory("one");
    const { processor, changes, commits } = rig([source]);
    await processor.start();
    source.set("in", fakeConfig({ name: "reviews", line: 1 }));
    source.set("in", fakeConfig({ name: "reviews", line: 1 }));
    source.set("in", fakeConfig({ name: "reviews", line: 9 }));
    expect(changes).toHaveLength(2);
    expect(commits).toHaveLength(3);
  });

  test("keeps the issues of each part, and forgets them when the source starts over", async () => {
    const source = memory("one");
    const { processor } = rig([source]);
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

  test("stops every source when one cannot start", async () => {
    const healthy = memory("healthy");
    const { processor, entries } = rig([healthy, broken]);
    await expect(processor.start()).rejects.toThrow("no such directory");
    healthy.set("in", fakeConfig({ name: "reviews" }));
    expect(entries.size).toBe(0);
    expect(processor.health().map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("may be stopped before it was started, twice, and while its sources start", async () => {
    const source = memory("one");
    const up = Promise.withResolvers<void>();
    const slow: Source = {
      name: "slow",
      collections: ["in"],
      start: () => up.promise,
      stop: () => Promise.resolve(up.resolve()),
      idle: () => Promise.resolve(),
    };
    const { processor } = rig([source, slow]);
    await processor.stop();
    await processor.stop();
    const starting = processor.start();
    await processor.stop();
    await starting;
    expect(processor.health().map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("takes a collection that no source fills for empty and complete", () => {
    expect(rig([]).entries).toMatchObject({ synced: true, size: 0 });
  });

  test("unites what several transformers make, the earlier winning", async () => {
    const source = memory("one");
    const made: Transformer = {
      name: "made",
      inputs: ["in"],
      outputs: [output],
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
    const { processor, entries } = rig([source], [direct("in", output), made]);
    await processor.start();
    source.set("in", fakeConfig({ name: "reviews" }));
    expect(entries.get("shop/reviews")?.version).toBe("1");
    expect(entries.get("shop/reviews-copy")?.version).toBe("made");
    expect(processor.clashes()).toHaveLength(1);
  });
});

/** Two sources that run, and what became of the one object that both have. */
async function running() {
  const [first, second] = [memory("first"), memory("second")];
  first.set("in", fakeConfig({ name: "reviews", version: "first" }));
  second.set("in", fakeConfig({ name: "reviews", version: "second" }));
  const rigged = rig([first, second]);
  await rigged.processor.start();
  rigged.commits.length = 0;
  rigged.changes.length = 0;
  return { first, second, ...rigged };
}

describe("sources that come and go", () => {
  test("leave what others have, as one change", async () => {
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

  test("take over by their place in the list", async () => {
    const { first, second, processor, changes } = await running();
    await processor.replaceSources([second, first]);
    expect(changes).toEqual([["+reviews@second"]]);
    expect(processor.clashes()).toMatchObject([{ claimants: ["second in", "first in"] }]);
  });

  test("are not disturbed when others come, which count once they have told all they have", async () => {
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

  test("leave nothing behind when they are gone before they have told all they have", async () => {
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

  test("may be replaced by others of the same name, without a gap", async () => {
    const { first, second, processor, changes } = await running();
    const again = memory("first");
    again.set("in", fakeConfig({ name: "reviews", version: "first" }));
    again.report("a.yaml", [issue]);
    first.report("a.yaml", [issue]);
    await processor.replaceSources([again, second]);
    expect(changes).toEqual([]);
    expect([...processor.issues.values()]).toMatchObject([{ source: "first", part: "a.yaml" }]);
  });

  test("stay as they are when a new one cannot start", async () => {
    const { first, second, processor, graph, changes } = await running();
    const nodes = graph.describe().length;
    const other = memory("other");
    await expect(processor.replaceSources([other, broken, second])).rejects.toThrow("no such directory");
    other.set("in", fakeConfig({ name: "ratings" }));
    expect(changes).toEqual([]);
    expect(graph.describe()).toHaveLength(nodes);
    first.set("in", fakeConfig({ name: "details" }));
    expect(changes).toEqual([["+details@1"]]);
    expect(processor.health().map(({ name }) => name)).toEqual(["first", "second"]);
  });

  test("are shown with what they have, and what of it others have before them", async () => {
    const { first, processor } = await running();
    first.set("in", fakeConfig({ name: "details" }));
    expect(processor.shares()).toEqual([
      { source: "first", collection: "in", objects: 2, lost: [] },
      { source: "second", collection: "in", objects: 1, lost: ["shop/reviews"] },
    ]);
  });

  test("hold the mesh up until they have synced once, and not when they start over", async () => {
    const source = new ScriptedSource();
    const { processor } = rig([source]);
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
});
