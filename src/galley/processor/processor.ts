import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { UnionCollection } from "../../collection/union.ts";
import { type Config, isSameConfig } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { assert } from "../../lib/assert.ts";
import type { Source } from "../source/source.ts";
import type { SourceHealth, SourceIssues } from "./feed.ts";
import { Roster } from "./roster.ts";
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
  /** Those that other sources have, too, with the name of the source whose is used. */
  readonly shared: readonly { readonly collection: string; readonly key: string; readonly winner: string }[];
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
  readonly #roster: Roster;
  /** What sources have, all of them united, as far as something is made of it. */
  readonly #inputs: ReadonlyMap<string, UnionCollection<Config>>;
  readonly #unions: UnionCollection<Config>[] = [];

  constructor({ graph, sources, transforms }: ProcessorOptions) {
    this.#graph = graph;
    this.#transforms = transforms;
    const issues = graph.input<SourceIssues>("galley/issues");
    this.issues = issues;
    this.#roster = new Roster({ graph, sources, issues, onChange: () => this.#reunite() });
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
  start(): Promise<void> {
    return this.#roster.start();
  }

  /** The outputs keep what they have; no source changes them any more. */
  stop(): Promise<void> {
    return this.#roster.stop();
  }

  idle(): Promise<void> {
    return this.#roster.idle();
  }

  /**
   * Goes on with these sources, in order of precedence. Those that it has already are not disturbed. One that is new
   * counts once it has told all it has; one that is gone takes its objects with it at once, and those after it show
   * theirs, unless a new one is `replacing` it: then that one's objects take their place when they are all there.
   * Rejects when a new one cannot start: then all is as it was. Calls are done one after the other.
   */
  replaceSources(sources: readonly Source[], replacing: ReadonlyMap<Source, Source> = new Map()): Promise<void> {
    return this.#roster.replace(sources, replacing);
  }

  /** In the order of the sources. */
  health(): readonly SourceHealth[] {
    return this.#roster.health();
  }

  /** Who has what, and what of it others have, too; in the order of the sources. */
  shares(): readonly SourceShare[] {
    const { feeds } = this.#roster;
    const owners = new Map(
      feeds.flatMap(({ inputs, source }) => Array.from(inputs.values(), ({ name }) => [name, source.name])),
    );
    return feeds.flatMap(({ inputs, source }) =>
      Array.from(inputs, ([collection, { name, size }]) => ({
        source: source.name,
        collection,
        objects: size,
        shared: Array.from(this.#inputs.get(collection)?.clashes() ?? [])
          .filter(([, claimants]) => claimants.includes(name))
          .map(([key, [winner = ""]]) => ({ collection, key, winner: owners.get(winner) ?? winner })),
      })),
    );
  }

  clashes(): readonly Clash[] {
    return this.#unions.flatMap((union) =>
      Array.from(union.clashes(), ([key, claimants]) => ({ collection: union.name, key, claimants })),
    );
  }

  #gather(transforms: readonly Transformer[]): ReadonlyMap<string, UnionCollection<Config>> {
    const names = new Set(transforms.flatMap((transformer) => transformer.inputs));
    return new Map(Array.from(names, (name) => [name, this.#union(name, this.#roster.partsOf(name))]));
  }

  /** Sources came, went or changed places. */
  #reunite(): void {
    for (const [name, union] of this.#inputs) union.replaceParts(this.#roster.partsOf(name));
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
