import { expect, test } from "vitest";
import type { DeriveOptions } from "../../src/collection/derived.ts";
import { Graph } from "../../src/collection/graph.ts";
import type { Config } from "../../src/config/config.ts";
import { Processor } from "../../src/galley/processor/processor.ts";
import { transformsFor } from "../../src/galley/processor/transforms.ts";
import { Snapshotter } from "../../src/galley/snapshotter/snapshotter.ts";
import { immediate } from "../../src/galley/snapshotter/strategy.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { fakeConfig } from "../../src/testing/config/fake-config.ts";
import { storyTable } from "../../src/testing/galley/galley-objects.ts";
import { echoTransform } from "../../src/testing/galley/galley-rig.ts";
import { RecordingDistributor } from "../../src/testing/recording/recording-distributor.ts";

const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";
const output = "istio/networking/v1alpha3/serviceentries";

/** The work of Galley: runs of derivations, and reads of object versions. */
interface Work {
  derivations: number;
  versions: number;
}

class CountedGalley {
  readonly work: Work = { derivations: 0, versions: 0 };
  readonly recorded = new RecordingDistributor();
  readonly #source = new MemorySource({ name: "memory", collections: [collection] });

  /** A filled and synced Galley, with the versions of all collections computed. */
  static async of(objects: number): Promise<CountedGalley> {
    const galley = new CountedGalley();
    for (let index = 0; index < objects; index += 1) galley.#source.set(collection, galley.#counted(index, "1"));
    await galley.#start();
    galley.versionNow();
    return galley;
  }

  change(index: number): void {
    this.#source.set(collection, this.#counted(index, "2"));
  }

  tellAnew(): void {
    this.#source.reset();
  }

  versionNow(): string | undefined {
    return this.recorded.of("default").at(-1)?.version(output);
  }

  async #start(): Promise<void> {
    const graph = new Graph();
    countDerivations(graph, this.work);
    const transforms = [...transformsFor(storyTable), echoTransform];
    const processor = new Processor({ graph, sources: [this.#source], transforms });
    const collections = processor.outputsOf("default");
    const publication = { group: "default", collections, strategy: immediate(), distributor: this.recorded } as const;
    new Snapshotter({ graph, publications: [publication], onError: raise }).start();
    await processor.start();
  }

  /** An object that counts reads of its version. */
  #counted(index: number, version: string): Config {
    const { work } = this;
    return Object.defineProperty({ ...fakeConfig({ name: `service-${index}` }) }, "version", {
      get() {
        work.versions += 1;
        return version;
      },
      enumerable: true,
    });
  }
}

function raise(error: unknown): never {
  throw error;
}

function countDerivations(graph: Graph, work: Work): void {
  const derive = graph.derive.bind(graph);
  graph.derive = <In, Out, Reads>(options: DeriveOptions<In, Out, Reads>) =>
    derive<In, Out, Reads>({
      ...options,
      to(...args) {
        work.derivations += 1;
        return options.to(...args);
      },
    });
}

test("the cost from a changed object to a versioned snapshot does not depend on the other objects", async () => {
  const costs: unknown[] = [];
  for (const objects of [10, 100, 1000]) {
    const galley = await CountedGalley.of(objects);
    const [before, snapshots] = [{ ...galley.work }, galley.recorded.snapshots.length];
    galley.change(5);
    const version = galley.versionNow();
    expect(version).not.toBe(undefined);
    costs.push({
      derivations: galley.work.derivations - before.derivations,
      versions: galley.work.versions - before.versions,
      snapshots: galley.recorded.snapshots.length - snapshots,
    });
  }
  expect(costs[1]).toEqual(costs[0]);
  expect(costs[2]).toEqual(costs[0]);
  // The ServiceEntry passes unchanged, and once more as a service that legacy roles may name.
  expect(costs[0]).toMatchObject({ derivations: 2, snapshots: 1 });
});

test("the first snapshot costs the same per object, however many there are", async () => {
  const works: Work[] = [];
  for (const objects of [100, 200, 400]) works.push((await CountedGalley.of(objects)).work);
  const [small, middle, large] = works.map(({ derivations, versions }) => [derivations, versions]);
  expect(middle).toEqual(small?.map((count) => count * 2));
  expect(large).toEqual(small?.map((count) => count * 4));
});

test("a source that resends the same objects costs no derivation and no snapshot", async () => {
  const galley = await CountedGalley.of(100);
  const [before, snapshots] = [galley.work.derivations, galley.recorded.snapshots.length];
  galley.tellAnew();
  expect(galley.work.derivations).toBe(before);
  expect(galley.recorded.snapshots).toHaveLength(snapshots);
});
