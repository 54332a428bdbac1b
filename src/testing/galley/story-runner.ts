import type { Config } from "../../config/config.ts";
import { assert } from "../../lib/assert.ts";
import { markerObjects, storyCollection, storyKey, storyObject } from "./galley-objects.ts";
import { type GalleyRig, isPoisoned } from "./galley-rig.ts";
import type { StoryEdit, StoryStep } from "./galley-story.ts";
import { type ManualSource, type SourceEdit, writing } from "./manual-source.ts";
import { ghost } from "./snapshot-checker.ts";

/** Lets a story happen to Galley. Every batch of a source writes its marker objects, too. */
export class StoryRunner {
  readonly #rig: GalleyRig;
  #generation = 0;

  constructor(rig: GalleyRig) {
    this.#rig = rig;
  }

  async begin(): Promise<void> {
    for (const source of this.#rig.sources) source.change(this.#markers(source));
    this.#rig.snapshotter.start();
    await this.#rig.processor.start();
  }

  async tell(step: StoryStep): Promise<void> {
    switch (step.type) {
      case "change":
        return this.#source(step.source).change(this.#edits(step));
      case "deliver":
        return this.#source(step.source).deliver(step.count);
      case "repeat":
        return this.#source(step.source).repeat({
          collection: storyCollection(step.object.kind),
          key: storyKey(step.object),
          config: undefined,
        });
      case "lose":
        return this.#source(step.source).lose(step.order, [...this.#emptying(step), ...this.#edits(step)]);
      case "wait":
        return this.#rig.clock.advance(step.ms);
      case "restart":
        return this.#restart(step.haunted);
    }
  }

  /** Takes all poison away, and lets everybody finish. */
  async end(): Promise<void> {
    const { sources, clock } = this.#rig;
    for (const source of sources) {
      const cured = [...source.world].flatMap(({ config, collection }) =>
        config !== undefined && isPoisoned(config) ? [writing(collection, cureOf(config, source.name))] : [],
      );
      source.change([...cured, ...this.#markers(source)]);
      source.drain();
    }
    clock.advance(10_000);
  }

  async #restart(haunted: boolean): Promise<void> {
    const { processor, sources } = this.#rig;
    await processor.stop();
    if (haunted) {
      for (const source of sources) {
        const config = { ...storyObject({ kind: "ServiceEntry", name: "x", form: 0 }, source.name), name: ghost };
        source.haunt(config, storyCollection("ServiceEntry"));
      }
    }
    await processor.start();
  }

  #source(index: number): ManualSource {
    const { sources } = this.#rig;
    const source = sources[index % sources.length];
    assert(source !== undefined, "a rig has sources");
    return source;
  }

  #emptying(step: { readonly source: number }): readonly SourceEdit[] {
    return Array.from(this.#source(step.source).world, ({ collection, key }) => ({
      collection,
      key,
      config: undefined,
    }));
  }

  #edits(step: { readonly source: number; readonly edits: readonly StoryEdit[] }): readonly SourceEdit[] {
    const source = this.#source(step.source);
    const edits = step.edits.map((edit) => ({
      collection: storyCollection(edit.kind),
      key: storyKey(edit),
      config: edit.gone ? undefined : storyObject(edit, source.name),
    }));
    return [...edits, ...this.#markers(source)];
  }

  #markers({ name }: ManualSource): readonly SourceEdit[] {
    this.#generation += 1;
    return markerObjects(name, this.#generation).map(([kind, config]) => writing(storyCollection(kind), config));
  }
}

function cureOf({ name }: Config, source: string): Config {
  return storyObject({ kind: "ServiceEntry", name, form: 0 }, source);
}
