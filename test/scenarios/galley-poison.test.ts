import { beforeEach, describe, expect, test } from "vitest";
import { issuesPage } from "../../src/admin/galley/issues.ts";
import { Graph } from "../../src/collection/graph.ts";
import { Processor } from "../../src/galley/processor/processor.ts";
import { transformsFor } from "../../src/galley/processor/transforms.ts";
import { Snapshotter } from "../../src/galley/snapshotter/snapshotter.ts";
import { immediate } from "../../src/galley/snapshotter/strategy.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { storyCollection, storyCollections, storyObject, storyTable } from "../../src/testing/galley/galley-objects.ts";
import { echoCollection, echoTransform } from "../../src/testing/galley/galley-rig.ts";
import { RecordingDistributor } from "../../src/testing/recording/recording-distributor.ts";

const collection = storyCollection("ServiceEntry");
/** The form on which the transformer `echo` throws. */
const poison = 3;

function entry(name: string, form: number) {
  return storyObject({ kind: "ServiceEntry", name, form }, "memory");
}

describe("an object on which a transformer fails", () => {
  let graph: Graph;
  let source: MemorySource;
  let processor: Processor;
  let recorded: RecordingDistributor;

  beforeEach(() => {
    graph = new Graph();
    source = new MemorySource({ name: "memory", collections: storyCollections });
    recorded = new RecordingDistributor();
    processor = new Processor({
      graph,
      sources: [source],
      transforms: [...transformsFor(storyTable), echoTransform],
    });
    const collections = processor.outputsOf("default");
    new Snapshotter({
      graph,
      publications: [{ group: "default", collections, strategy: immediate(), distributor: recorded }],
      onError: (error) => expect.unreachable(String(error)),
    }).start();
  });

  /** The outputs of each object, by the version of their input. */
  function echoes(): readonly string[] {
    const made = recorded.of("default").at(-1)?.resources(echoCollection) ?? [];
    return made.map(({ name, labels }) => `${name} ${labels["form"]}`);
  }

  /** The issues that `/debug/issues` lists. */
  async function listed(): Promise<unknown> {
    const state = {
      sourceHealth: () => processor.health(),
      issues: () => processor.issues.values(),
      clashes: () => processor.clashes(),
      problems: () => graph.problems,
      generatorProblems: () => [],
    };
    const { body } = await issuesPage(state).answer(new URLSearchParams());
    return (JSON.parse(body) as { readonly derivations: unknown }).derivations;
  }

  test("keeps its last good output, is listed with its place, and clears when it is fixed", async () => {
    source.set(collection, entry("x", 1));
    source.set(collection, entry("y", 1));
    await processor.start();
    source.set(collection, entry("x", poison));
    expect(echoes()).toEqual(["x 1", "y 1"]);
    expect(await listed()).toEqual([
      {
        derivation: echoCollection,
        input: "shop/x",
        reference: entry("x", poison).origin.reference,
        cause: "shop/x is poisoned",
      },
    ]);
    source.set(collection, entry("x", 2));
    expect(echoes()).toEqual(["x 2", "y 1"]);
    expect(await listed()).toEqual([]);
  });

  test("blocks nothing: changes in the same batch, and later ones, appear", async () => {
    await processor.start();
    source.batch(() => {
      source.set(collection, entry("x", poison));
      source.set(collection, entry("y", 1));
    });
    expect(echoes()).toEqual(["y 1"]);
    source.set(collection, entry("y", 2));
    expect(echoes()).toEqual(["y 2"]);
  });

  test("does not keep Galley from its first snapshot", async () => {
    source.set(collection, entry("x", poison));
    source.set(collection, entry("y", 1));
    await processor.start();
    expect(echoes()).toEqual(["y 1"]);
    expect(recorded.keys("default", "istio/networking/v1alpha3/serviceentries")).toEqual(["shop/x", "shop/y"]);
  });

  test("is forgotten when it is deleted, with its last good output", async () => {
    source.set(collection, entry("x", 1));
    await processor.start();
    source.set(collection, entry("x", poison));
    source.delete(collection, "shop/x");
    expect(echoes()).toEqual([]);
    expect(await listed()).toEqual([]);
  });
});
