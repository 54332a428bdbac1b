import fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual } from "../lib/equal.ts";
import {
  anyItem,
  anyKey,
  anyStep,
  type GraphStep,
  type Installed,
  type Item,
  install,
  partsOf,
  pick,
} from "../testing/graph/graph-plan.ts";
import { type GraphState, RebuiltGraph } from "../testing/graph/rebuilt-graph.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { changesBetween } from "./changes-between.ts";
import type { Change, Collection, Commit, View } from "./collection.ts";
import { Graph } from "./graph.ts";
import type { Input } from "./input.ts";

type Edit =
  | { readonly type: "set"; readonly input: number; readonly key: string; readonly item: Item }
  | { readonly type: "delete"; readonly input: number; readonly key: string }
  | { readonly type: "replaceAll"; readonly input: number; readonly entries: readonly (readonly [string, Item])[] }
  | { readonly type: "markSynced"; readonly input: number }
  | { readonly type: "replaceParts"; readonly union: number; readonly parts: readonly number[] };

const anyInput = fc.nat(2);
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("set"), input: anyInput, key: anyKey, item: anyItem }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delete"), input: anyInput, key: anyKey }) },
  fc.record({ type: fc.constant("replaceAll"), input: anyInput, entries: fc.array(fc.tuple(anyKey, anyItem)) }),
  fc.record({ type: fc.constant("markSynced"), input: anyInput }),
  fc.record({ type: fc.constant("replaceParts"), union: fc.nat(6), parts: fc.uniqueArray(anyInput) }),
);
const anyBatch = fc.record({
  edits: fc.array(anyEdit, { minLength: 1, maxLength: 4 }),
  fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
});
const inputNames = ["input0", "input1", "input2"];

test(
  "after every batch the graph is what it would be if built anew, and the commit is exactly the difference",
  () => {
    const anyStory = fc.property(fc.array(anyStep, { maxLength: 7 }), fc.array(anyBatch, { maxLength: 12 }), runStory);
    fc.assert(anyStory, { seed, numRuns: runs(500) });
  },
  runs(60_000),
);

function runStory(steps: readonly GraphStep[], batches: readonly { edits: readonly Edit[]; fails: boolean }[]): void {
  const graph = new Graph();
  const inputs = inputNames.map((name) => graph.input<Item>(name));
  const installed = install(graph, inputs, steps);
  const collections: readonly Collection<unknown>[] = [...installed.items, ...installed.groups];
  const rebuilt = new RebuiltGraph(steps);
  let expected = rebuilt.rebuild(inputsNow(inputs));
  for (const { edits, fails } of batches) {
    const before = collections.map(remember);
    const after = inputsAfter(inputs, fails ? [] : edits);
    const commit = runBatch(graph, installed, edits, fails);
    if (!fails) for (const { step, parts } of partEdits(steps, edits)) rebuilt.replaceParts(step, parts);
    const syncedBefore = expected.synced;
    expected = rebuilt.rebuild(after);
    expectWorld(graph, installed, expected);
    expectCommit(graph, commit, collections, before);
    expect([...(commit?.newlySynced ?? [])].toSorted()).toEqual(
      [...expected.synced.difference(syncedBefore)].toSorted(),
    );
  }
  // A fresh graph has no last good outputs for inputs that throw now.
  if (expected.problems.length > 0) return;
  const stepsNow = batches
    .filter(({ fails }) => !fails)
    .flatMap(({ edits }) => partEdits(steps, edits))
    .reduce((all: readonly GraphStep[], { step, parts }) => all.with(step, { type: "union", parts }), steps);
  expectSameAsFresh(stepsNow, inputs);
}

/** The steps that replace the parts of unions with other inputs. */
function partEdits(steps: readonly GraphStep[], edits: readonly Edit[]) {
  const unions = steps.flatMap(({ type }, step) => (type === "union" ? step : []));
  return edits.flatMap((edit) =>
    edit.type === "replaceParts" && unions.length > 0 ? { step: pick(unions, edit.union), parts: edit.parts } : [],
  );
}

/** `expect` is many times slower than the graph. The test calls it only to describe a difference. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!deepEqual(actual, expected)) expect(actual).toEqual(expected);
}

function runBatch(graph: Graph, installed: Installed, edits: readonly Edit[], fails: boolean): Commit | undefined {
  try {
    return graph.batch(() => {
      for (const edit of edits) apply(installed, edit);
      if (fails) throw new Error("the work failed");
    });
  } catch (thrown) {
    expect(thrown).toEqual(new Error("the work failed"));
    return undefined;
  }
}

function apply({ inputs, unions }: Installed, edit: Edit): void {
  if (edit.type === "replaceParts") {
    if (unions.length > 0) pick(unions, edit.union).replaceParts(partsOf(edit.parts, inputs));
    return;
  }
  const input = pick(inputs, edit.input);
  switch (edit.type) {
    case "set":
      input.set(edit.key, edit.item);
      break;
    case "delete":
      input.delete(edit.key);
      break;
    case "replaceAll":
      input.replaceAll(edit.entries);
      break;
    case "markSynced":
      input.markSynced();
      break;
  }
}

function inputsNow(inputs: readonly Input<Item>[]) {
  return inputs.map((input) => ({ name: input.name, synced: input.synced, contents: new Map(input.entries()) }));
}

/** The expected content of the inputs after the edits, on plain maps. */
function inputsAfter(inputs: readonly Input<Item>[], edits: readonly Edit[]) {
  const next = inputsNow(inputs);
  for (const edit of edits) {
    if (edit.type === "replaceParts") continue;
    const input = pick(next, edit.input);
    if (edit.type === "markSynced") input.synced = true;
    if (edit.type === "replaceAll") input.contents = new Map(edit.entries);
    if (edit.type === "set") input.contents.set(edit.key, edit.item);
    if (edit.type === "delete") input.contents.delete(edit.key);
  }
  return next;
}

function expectWorld(graph: Graph, { items, groups, unions }: Installed, expected: GraphState): void {
  for (const collection of [...items, ...groups]) {
    const contents = new Map<string, unknown>(collection.entries());
    expectEqual({ [collection.name]: contents }, { [collection.name]: expected.contents.get(collection.name) });
    expectEqual(collection.size, contents.size);
    expectEqual(collection.synced, expected.synced.has(collection.name));
  }
  for (const union of unions) expectEqual(union.clashes(), expected.clashes.get(union.name));
  expect(graph.problems.map(({ derivation, input }) => `${derivation}/${input}`).toSorted()).toEqual(expected.problems);
}

function expectCommit(
  graph: Graph,
  commit: Commit | undefined,
  collections: readonly Collection<unknown>[],
  before: readonly Memory[],
): void {
  const changed = new Set(commit?.newlySynced);
  for (const [index, collection] of collections.entries()) {
    const { view: earlier, contents } = pick(before, index);
    const changes = commit?.changesOf(collection) ?? [];
    expectEqual(collection.snapshot() === earlier, changes.length === 0);
    expectSameChanges(changes, changesBetween(earlier, collection.snapshot()));
    expectEqual(new Map(earlier.entries()), contents);
    for (const change of changes) applyChange(contents, change);
    expectEqual(contents, new Map(collection.entries()));
    if (changes.length > 0) changed.add(collection.name);
  }
  const inCreationOrder = graph.describe().map(({ name }) => name);
  expect(commit?.collections ?? []).toEqual(inCreationOrder.filter((name) => changed.has(name)));
}

/** A view, and a copy of its content at that time. */
interface Memory {
  readonly view: View<unknown>;
  readonly contents: Map<string, unknown>;
}

function remember(collection: Collection<unknown>): Memory {
  return { view: collection.snapshot(), contents: new Map(collection.entries()) };
}

function applyChange(contents: Map<string, unknown>, change: Change<unknown>): void {
  expectEqual(contents.has(change.key), change.type !== "added");
  if (change.type === "removed") contents.delete(change.key);
  else contents.set(change.key, change.after);
}

function expectSameChanges(actual: readonly Change<unknown>[], expected: readonly Change<unknown>[]): void {
  expectEqual(actual, expected);
  for (const [index, change] of actual.entries()) {
    const { before, after } = bothSides(change);
    const twin = bothSides(pick(expected, index));
    expectEqual([before === twin.before, after === twin.after], [true, true]);
    // Equal content is not a change, even over several steps.
    expectEqual(deepEqual(before, after), false);
  }
}

function bothSides(change: Change<unknown>): { readonly before?: unknown; readonly after?: unknown } {
  return change;
}

/** Both ways of starting: collections created over full inputs, and inputs filled afterwards. */
function expectSameAsFresh(steps: readonly GraphStep[], inputs: readonly Input<Item>[]): void {
  const expected = new RebuiltGraph(steps).rebuild(inputsNow(inputs));
  for (const fillFirst of [true, false]) {
    const graph = new Graph();
    const fresh = inputNames.map((name) => graph.input<Item>(name));
    const fill = () => {
      for (const [index, input] of fresh.entries()) {
        input.replaceAll(pick(inputs, index).entries());
        if (pick(inputs, index).synced) input.markSynced();
      }
    };
    if (fillFirst) graph.batch(fill);
    const installed = install(graph, fresh, steps);
    if (!fillFirst) graph.batch(fill);
    expectWorld(graph, installed, expected);
  }
}
