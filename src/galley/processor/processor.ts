import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
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

/** What one source has of one collection. */
export interface SourceShare {
  readonly source: string;
  readonly collection: string;
  readonly objects: number;
  /** The keys of those that are not used, since a source before it has them, too. */
  readonly lost: readonly string[];
}

/**
 * Brings sources and transformers together in the graph: per source and collection one input, over them one union
 * per collection, over those the transformers. A union is synced when all its parts are, so a source that is quick
 * never speaks for the others. Sources may come and go while it runs.
 */
export class Processor {
  /** What leaves Galley, by the name it leaves under. */
  readonly outputs: ReadonlyMap<string, Collection<Config>>;
  /** What is wrong with which part of which source. */
  readonly issues: Collection<SourceIssues>;
  readonly #graph: Graph;
  readonly #transforms: readonly Transformer[];
  readonly #issues: Input<SourceIssues>;
  #feeds: readonly Feed[];
  /** How often sources were replaced. */
  #generation = 0;
  #replaced = Promise.resolve();
  /** Those that were added while it runs and have not told all they have yet: nobody waits for them. */
  readonly #newcomers = new Set<Feed>();
  /** What sources have, all of them united, as far as something is made of it. */
  readonly #inputs: ReadonlyMap<string, UnionCollection<Config>>;
  readonly #unions: UnionCollection<Config>[] = [];

  constructor({ graph, sources, transforms }: ProcessorOptions) {
    this.#graph = graph;
    this.#transforms = transforms;
    this.#issues = graph.input<SourceIssues>("galley/issues");
    this.issues = this.#issues;
    this.#feeds = sources.map((source) => this.#feed(source));
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

  /**
   * Goes on with these sources, in order of precedence. Those that it has already are not disturbed. One that is new
   * counts once it has told all it has; one that is gone takes its objects with it at once, and those after it show
   * theirs. Rejects when a new one cannot start: then all is as it was. Calls are done one after the other.
   */
  replaceSources(sources: readonly Source[]): Promise<void> {
    const replaced = this.#replaced.then(() => this.#replace(sources));
    this.#replaced = replaced.catch(() => {});
    return replaced;
  }

  /** The outputs keep what they have; no source changes them any more. */
  async stop(): Promise<void> {
    await this.#replaced;
    await Promise.all(this.#feeds.map((feed) => feed.stop()));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.idle()));
  }

  /** In the order of the sources. */
  health(): readonly SourceHealth[] {
    return this.#feeds.map((feed) => {
      const health = feed.health();
      return this.#newcomers.has(feed) ? { ...health, holdsUp: false } : health;
    });
  }

  /** Who has what, and who loses what to whom; in the order of the sources. */
  shares(): readonly SourceShare[] {
    return this.#feeds.flatMap((feed) =>
      Array.from(feed.inputs, ([collection, { name, size }]) => ({
        source: feed.source.name,
        collection,
        objects: size,
        lost: Array.from(this.#inputs.get(collection)?.clashes() ?? [])
          .filter(([, claimants]) => claimants.indexOf(name) > 0)
          .map(([key]) => key),
      })),
    );
  }

  clashes(): readonly Clash[] {
    return this.#unions.flatMap((union) =>
      Array.from(union.clashes(), ([key, claimants]) => ({ collection: union.name, key, claimants })),
    );
  }

  #feed(source: Source): Feed {
    const feed: Feed = new Feed({
      graph: this.#graph,
      source,
      issues: this.#issues,
      generation: this.#generation,
      onShown: () => {
        if (this.#newcomers.delete(feed)) this.#reunite();
      },
    });
    return feed;
  }

  #gather(transforms: readonly Transformer[]): ReadonlyMap<string, UnionCollection<Config>> {
    const names = new Set(transforms.flatMap((transformer) => transformer.inputs));
    return new Map(Array.from(names, (name) => [name, this.#union(name, this.#partsOf(name))]));
  }

  #partsOf(name: string): readonly Input<Config>[] {
    return this.#feeds.filter((feed) => !this.#newcomers.has(feed)).flatMap((feed) => feed.inputs.get(name) ?? []);
  }

  /** Sources came, went or changed places. */
  #reunite(): void {
    for (const [name, union] of this.#inputs) union.replaceParts(this.#partsOf(name));
  }

  async #replace(sources: readonly Source[]): Promise<void> {
    this.#generation += 1;
    const before = new Map(this.#feeds.map((feed) => [feed.source, feed]));
    const added = sources.filter((source) => !before.has(source)).map((source) => this.#feed(source));
    for (const feed of added) this.#newcomers.add(feed);
    try {
      await Promise.all(added.map((feed) => feed.start()));
    } catch (thrown) {
      await this.#dismiss(added);
      throw thrown;
    }
    const known = new Map([...before, ...added.map((feed): [Source, Feed] => [feed.source, feed])]);
    this.#feeds = sources.flatMap((source) => known.get(source) ?? []);
    await this.#dismiss([...before.values()].filter((feed) => !this.#feeds.includes(feed)));
  }

  /** Their objects go in one batch, before they are told to stop. */
  async #dismiss(feeds: readonly Feed[]): Promise<void> {
    this.#graph.batch(() => {
      this.#reunite();
      for (const feed of feeds) feed.leave();
    });
    for (const feed of feeds) this.#newcomers.delete(feed);
    await Promise.all(feeds.map((feed) => feed.stop()));
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
    return first !== undefined && second === undefined ? first : this.#union(name, parts);
  }

  #union(name: string, parts: readonly Collection<Config>[]): UnionCollection<Config> {
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
