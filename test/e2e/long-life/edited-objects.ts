import fc from "fast-check";
import { type Config, configKey } from "../../../src/config/config.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import type { MemorySource } from "../../../src/galley/source/memory-source.ts";
import { collectionOf } from "../../../src/testing/config/configs-in.ts";
import { meshEdit } from "../../../src/testing/mesh/mesh-edits.ts";
import type { Random } from "../../../src/testing/random/random.ts";

/** The number of different valid objects that edits choose from. They are parsed once: the pipeline is under test. */
const variants = 600;

/** Random objects of every kind of mesh traffic, written to a source and deleted again. */
export class EditedObjects {
  readonly #source: MemorySource;
  readonly #random: Random;
  readonly #objects: readonly Config[];

  constructor(source: MemorySource, random: Random, seed: number) {
    this.#source = source;
    this.#random = random;
    const edits = fc.sample(meshEdit, { seed, numRuns: variants });
    this.#objects = edits.flatMap(({ apiVersion, kind, namespace, name, spec }) => {
      const text = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec: spec ?? {} });
      return parseConfigs({ text, file: "a.yaml", source: source.name, kinds, defaultNamespace: "default" }).configs;
    });
  }

  /** Writes or deletes this many random objects, as one change. One object in four is deleted. */
  edit(count: number): void {
    this.#source.batch(() => {
      for (let done = 0; done < count; done++) {
        const object = this.#random.pick(this.#objects);
        if (this.#random.once(4)) this.#source.delete(collectionOf(object), configKey(object));
        else this.#source.set(collectionOf(object), object);
      }
    });
  }

  deleteAll(): void {
    this.#source.clear();
  }
}
