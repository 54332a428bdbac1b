import fc from "fast-check";
import { expect, test } from "vitest";
import { changesBetween } from "../../src/collection/changes-between.ts";
import type { Change } from "../../src/collection/collection.ts";
import { Graph } from "../../src/collection/graph.ts";
import type { Config } from "../../src/config/config.ts";
import { Processor } from "../../src/galley/processor/processor.ts";
import { direct } from "../../src/galley/processor/transforms/direct.ts";
import type { Source, SourceEvent, SourceHandler } from "../../src/galley/source/source.ts";
import { fakeConfig } from "../../src/testing/config/fake-config.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

/** Steps of a mesh with several sources. Numbers select a source, modulo how many there are. */
type Step = Word | Move;

type Word =
  | { readonly type: "upsert"; readonly source: number; readonly name: string; readonly version: string }
  | { readonly type: "delete"; readonly source: number; readonly name: string }
  | { readonly type: "fullSync" | "reset" | "overdue" | "stale" | "fresh"; readonly source: number };

type Move =
  | { readonly type: "add"; readonly place: number }
  | { readonly type: "remove"; readonly source: number }
  | { readonly type: "replace"; readonly source: number }
  | { readonly type: "move"; readonly source: number; readonly place: number };

const anySource = fc.nat(6);
const anyName = fc.constantFrom("a", "b", "c", "d");
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("upsert"),
      source: anySource,
      name: anyName,
      version: fc.constantFrom("1", "2"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delete"), source: anySource, name: anyName }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("fullSync"), source: anySource }) },
  fc.record({ type: fc.constantFrom("reset", "overdue", "stale", "fresh"), source: anySource }),
  fc.record({ type: fc.constant("add"), place: anySource }),
  fc.record({ type: fc.constantFrom("remove", "replace"), source: anySource }),
  fc.record({ type: fc.constant("move"), source: anySource, place: anySource }),
);

/** A source that sends the events of the story, and a plain model of the expected objects. */
class StorySource implements Source {
  readonly name: string;
  readonly collections = ["in"];
  #handler: SourceHandler | undefined;
  /** The visible objects, and those kept aside during a full resend. */
  shown = new Map<string, string>();
  aside: Map<string, string> | undefined = new Map();
  /** True if the source counts: an initial one at once, others after their full sync. */
  joined: boolean;
  settled = false;
  stale = false;
  /** The source that this one replaces. */
  readonly before: StorySource | undefined;

  constructor(name: string, initial: boolean, before?: StorySource) {
    this.name = name;
    this.joined = initial;
    this.before = before;
  }

  /** The source whose objects are in use: this one, or its stand-in. */
  get standing(): StorySource | undefined {
    return this.joined ? this : this.before?.standing;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#handler = undefined;
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  say(event: SourceEvent): void {
    this.#handler?.([event]);
  }

  take(step: Word): void {
    const content = this.aside ?? this.shown;
    if (step.type === "upsert") content.set(step.name, `${this.name} ${step.version}`);
    if (step.type === "delete") content.delete(step.name);
    if (step.type === "reset") this.aside = new Map();
    if (step.type === "overdue") this.settled = true;
    if (step.type === "stale") this.stale = true;
    if (step.type === "fresh") this.stale = false;
    if (step.type !== "fullSync") return;
    this.shown = content;
    this.aside = undefined;
    this.joined = true;
    this.settled = true;
  }
}

test("for any events and any order of sources, each object comes from the first source that has it", async () => {
  const anyStory = fc.asyncProperty(fc.nat(3), fc.array(anyStep, { maxLength: 40 }), tell);
  await fc.assert(anyStory, { seed, numRuns: runs(300) });
});

async function tell(initial: number, steps: readonly Step[]): Promise<void> {
  let count = 0;
  const newSource = (before?: StorySource) => new StorySource(`source-${++count}`, false, before);
  let sources = Array.from({ length: initial }, () => new StorySource(`source-${++count}`, true));
  const graph = new Graph();
  const transforms = [direct("in", { collection: "out", group: "default" })];
  const processor = new Processor({ graph, sources, transforms });
  const entries = processor.outputs.get("out");
  if (entries === undefined) throw new Error("the transformer makes it");
  await processor.start();
  let synced = initial === 0;
  for (const step of steps) {
    const before = entries.snapshot();
    const changes: (readonly Change<Config>[])[] = [];
    const cancel = graph.onCommit((commit) => changes.push(commit.changesOf(entries)));
    if (isMove(step)) {
      sources = rearranged(sources, step, newSource);
      await processor.replaceSources(sources, new Map(sources.flatMap((source) => replacementBy(source))));
    } else {
      speak(sources, step);
    }
    cancel();
    synced ||= sources.flatMap(({ standing }) => standing ?? []).every(({ settled }) => settled);
    expect({ step, entries: contentOf(entries), synced: entries.synced, lost: lostOf(processor) }).toEqual({
      step,
      entries: expectedContent(sources),
      synced,
      lost: expectedLosses(sources),
    });
    expect(processor.health().map(({ name, stale }) => [name, stale !== undefined])).toEqual(
      sources.map(({ name, stale }) => [name, stale]),
    );
    // Each step is one commit, in which a change of owner is one change.
    expect(changes.filter((some) => some.length > 0)).toHaveLength(before === entries.snapshot() ? 0 : 1);
    expect(changes.flat()).toEqual(changesBetween(before, entries.snapshot()));
  }
  await processor.stop();
}

function isMove(step: Step): step is Move {
  const { type } = step;
  return type === "add" || type === "remove" || type === "replace" || type === "move";
}

function replacementBy(source: StorySource): readonly [StorySource, StorySource][] {
  return source.before === undefined ? [] : [[source, source.before]];
}

function rearranged(
  sources: readonly StorySource[],
  move: Move,
  newSource: (before?: StorySource) => StorySource,
): StorySource[] {
  if (move.type === "add") return sources.toSpliced(move.place % (sources.length + 1), 0, newSource());
  const from = sources.length === 0 ? 0 : move.source % sources.length;
  const others = sources.toSpliced(from, 1);
  if (move.type === "remove") return others;
  if (move.type === "replace") return sources.toSpliced(from, 1, newSource(sources[from]));
  return others.toSpliced(move.place % (others.length + 1), 0, ...sources.slice(from, from + 1));
}

function speak(sources: readonly StorySource[], word: Word): void {
  const source = sources[word.source % sources.length];
  source?.take(word);
  source?.say(eventOf(word, source.name));
}

function eventOf(word: Word, source: string): SourceEvent {
  const collection = "in";
  if (word.type === "upsert") {
    return {
      type: "upserted",
      collection,
      config: fakeConfig({ name: word.name, version: `${source} ${word.version}` }),
    };
  }
  if (word.type === "delete") return { type: "deleted", collection, key: `shop/${word.name}` };
  if (word.type === "fullSync") return { type: "fullSync", collection };
  return word.type === "stale" ? { type: "stale", reason: "away" } : { type: word.type };
}

function contentOf(entries: { values(): Iterable<{ readonly name: string; readonly version: string }> }) {
  return Object.fromEntries(Array.from(entries.values(), ({ name, version }) => [name, version]));
}

function expectedContent(sources: readonly StorySource[]) {
  const standing = sources.flatMap((source) => source.standing ?? []);
  return Object.fromEntries(standing.toReversed().flatMap(({ shown }) => [...shown]));
}

function lostOf(processor: Processor) {
  return processor.shares().map(({ source, shared }) => {
    const lost = shared.filter(({ winner }) => winner !== source).map(({ key }) => key);
    return `${source}: ${lost.toSorted().join()}`;
  });
}

function expectedLosses(sources: readonly StorySource[]) {
  const taken = new Set<string>();
  return sources.map(({ name, joined, standing }) => {
    const keys = [...(standing?.shown.keys() ?? [])].toSorted();
    const lost = joined ? keys.filter((key) => taken.has(key)) : [];
    for (const key of keys) taken.add(key);
    return `${name}: ${lost.map((key) => `shop/${key}`).join()}`;
  });
}
