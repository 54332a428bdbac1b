import fc from "fast-check";
import { type Config, configKey } from "../../../src/config/config.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import type { MemorySource } from "../../../src/galley/source/memory-source.ts";
import { collectionOf } from "../../../src/testing/config/configs-in.ts";
import { meshEdit } from "../../../src/testing/mesh/mesh-edits.ts";
import type { Random } from "../../../src/testing/random/random.ts";

/** The number of different valid objects that the edits of a day choose from. They are parsed once: the pipeline is under test. */
const variants = 600;

/** Random objects of every kind of mesh traffic, written to a source and deleted again. */
export class EditedObjects {
  readonly #source: MemorySource;
  readonly #random: Random;
  #seed: number;
  #objects: readonly Config[] = [];

  constructor(source: MemorySource, random: Random, seed: number) {
    this.#source = source;
    this.#random = random;
    this.#seed = seed;
  }

  /** Writes or deletes this many random objects, as one change. One object in four is deleted. */
  edit(count: number): void {
    if (this.#objects.length === 0) this.#objects = sampleObjects(this.#source.name, this.#seed++);
    this.#source.batch(() => {
      for (let done = 0; done < count; done++) {
        const object = this.#random.pick(this.#objects);
        if (this.#random.once(4)) this.#source.delete(collectionOf(object), configKey(object));
        else this.#source.set(collectionOf(object), object);
      }
    });
  }

  /** Deletes all objects, and forgets them: later edits use others. A memo of the server lives as long as its object. */
  deleteAll(): void {
    this.#source.clear();
    this.#objects = [];
  }
}

function sampleObjects(source: string, seed: number): readonly Config[] {
  return fc.sample(meshEdit, { seed, numRuns: variants }).flatMap(({ apiVersion, kind, namespace, name, spec }) => {
    const text = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec: spec ?? {} });
    return parseConfigs({ text, file: "a.yaml", source, kinds, defaultNamespace: "default" }).configs;
  });
}
