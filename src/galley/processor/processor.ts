import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { UnionCollection } from "../../collection/union.ts";
import { type Config, isSameConfig } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { assert } from "../../lib/assert.ts";
import type { Source } from "../source/source.ts";
import { Feed, type SourceHealth, type SourceIssues } from "./feed.ts";
import type { Transformer } from "./transformer.ts";
import { collectionsOf } from "./transforms.ts";

export interface ProcessorOptions {
  readonly graph: Graph;
  /** In order of precedence: the first that has an object wins it. */
  readonly sources: readonly Source[];
  /** In order of precedence, too, where several make one collection. */
  readonly transforms: readonly Transformer[];
}

/** One object that several sources, or several transformers, have: only the first one's is used. */
export interface Clash {
  readonly collection: string;
  readonly key: string;
  /** The collections that have it, the winner first. */
  readonly claimants: readonly string[];
}

/**
 * Brings sources and transformers together in the graph: per source and collection one input, over them one union
 * per collection, over those the transformers. A union is synced when all its parts are, so a source that is quick
 * never speaks for the others.
 */
export class Processor {
  /** What leaves Galley, by the name it leaves under. */
  readonly outputs: ReadonlyMap<string, Collection<Config>>;
  /** What is wrong with which part of which source. */
  readonly issues: Collection<SourceIssues>;
  readonly #graph: Graph;
  readonly #transforms: readonly Transformer[];
  readonly #feeds: readonly Feed[];
  /** What sources have, all of them united, as far as something is made of it. */
  readonly #inputs: ReadonlyMap<string, Collection<Config>>;
  readonly #unions: UnionCollection<Config>[] = [];

  constructor({ graph, sources, transforms }: ProcessorOptions) {
    const issues = graph.input<SourceIssues>("galley/issues");
    this.issues = issues;
    this.#graph = graph;
    this.#transforms = transforms;
    this.#feeds = sources.map((source) => new Feed({ graph, source, issues }));
    this.#inputs = this.#gather(transforms);
    this.outputs = this.#install(transforms);
  }

  /** How many objects the sources have, each counted once, whatever is made of it. */
  get objects(): number {
    return this.#inputs.values().reduce((sum, { size }) => sum + size, 0);
  }

  /** The outputs of one group, by the name they leave under. */
  outputsOf(group: SnapshotGroup): ReadonlyMap<string, Collection<Config>> {
    const names = new Set(collectionsOf(group, this.#transforms));
    return new Map([...this.outputs].filter(([name]) => names.has(name)));
  }

  /** Resolves when every source is up; if one cannot start, none is left running. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#feeds.map((feed) => feed.start()));
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  /** The outputs keep what they have; no source changes them any more. */
  async stop(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.stop()));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.idle()));
  }

  /** In the order of the sources. */
  health(): readonly SourceHealth[] {
    return this.#feeds.map((feed) => feed.health());
  }

  clashes(): readonly Clash[] {
    return this.#unions.flatMap((union) =>
      Array.from(union.clashes(), ([key, claimants]) => ({ collection: union.name, key, claimants })),
    );
  }

  #gather(transforms: readonly Transformer[]): ReadonlyMap<string, Collection<Config>> {
    const names = new Set(transforms.flatMap((transformer) => transformer.inputs));
    const partsOf = (name: string): readonly Collection<Config>[] =>
      this.#feeds.flatMap((feed) => feed.input(name) ?? []);
    return new Map(Array.from(names, (name) => [name, this.#unite(name, partsOf(name))]));
  }

  #install(transforms: readonly Transformer[]): ReadonlyMap<string, Collection<Config>> {
    const parts = new Map<string, Collection<Config>[]>();
    for (const transformer of transforms) {
      const made = transformer.install(this.#graph, (name) => declared(transformer, this.#inputs, name));
      for (const { collection } of transformer.outputs) {
        parts.set(collection, [...(parts.get(collection) ?? []), declared(transformer, made, collection)]);
      }
    }
    return new Map(Array.from(parts, ([name, made]) => [name, this.#unite(name, made)]));
  }

  /** One part needs no union. None gives an empty collection that is synced: nobody is going to fill it. */
  #unite(name: string, parts: readonly Collection<Config>[]): Collection<Config> {
    const [first, second] = parts;
    if (first !== undefined && second === undefined) return first;
    const union = this.#graph.union({ name, parts, equals: isSameConfig });
    this.#unions.push(union);
    return union;
  }
}

function declared<T>(transformer: Transformer, collections: ReadonlyMap<string, T>, name: string): T {
  const found = collections.get(name);
  assert(found !== undefined, `${transformer.name} declares ${name}, and keeps to it`);
  return found;
}
