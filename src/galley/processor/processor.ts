import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { UnionCollection } from "../../collection/union.ts";
import { type Config, isSameConfig } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { assert } from "../../lib/assert.ts";
import type { Source } from "../source/source.ts";
import { ActiveSources } from "./active-sources.ts";
import type { SourceHealth, SourceIssues } from "./feed.ts";
import type { Transformer } from "./transformer.ts";
import { collectionsOf } from "./transforms.ts";

export interface ProcessorOptions {
  readonly graph: Graph;
  /** In order of precedence: the first that has an object wins it. */
  readonly sources: readonly Source[];
  /** In order of precedence: if several transformers make one collection, the first wins. */
  readonly transforms: readonly Transformer[];
  /** Turns errors into warnings if they only report that something is not enforced. */
  readonly allowUnenforced?: boolean;
}

/** One object that several sources or transformers provide. Only the first one's version is used. */
export interface DuplicateObject {
  readonly collection: string;
  readonly key: string;
  /** The collections that contain the object, the winner first. */
  readonly claimants: readonly string[];
}

/** The objects that one source provides, by collection. */
export interface SourceShare {
  readonly source: string;
  readonly collection: string;
  readonly objects: number;
  /** Objects that other sources provide too, with the name of the winning source. */
  readonly shared: readonly { readonly collection: string; readonly key: string; readonly winner: string }[];
}

/**
 * Connects sources and transformers in the graph. Each source has one input per collection. One union per collection
 * joins these inputs, and the transformers read the unions. A union is synced when all its parts are synced, so a fast
 * source never hides objects of a slow one. Sources may be added and removed at runtime.
 */
export class Processor {
  /** The collections that leave Galley, by output name. */
  readonly outputs: ReadonlyMap<string, Collection<Config>>;
  /** The current issues of each part of each source. */
  readonly issues: Collection<SourceIssues>;
  readonly #graph: Graph;
  readonly #transforms: readonly Transformer[];
  readonly #active: ActiveSources;
  /** The united collections of all sources, limited to those that a transformer reads. */
  readonly #inputs: ReadonlyMap<string, UnionCollection<Config>>;
  readonly #unions: UnionCollection<Config>[] = [];

  constructor({ graph, sources, transforms, allowUnenforced = false }: ProcessorOptions) {
    this.#graph = graph;
    this.#transforms = transforms;
    const issues = graph.input<SourceIssues>("galley/issues");
    this.issues = issues;
    this.#active = new ActiveSources({ graph, sources, issues, allowUnenforced, onChange: () => this.#reunite() });
    this.#inputs = this.#gather(transforms);
    this.outputs = this.#install(transforms);
  }

  /** The number of distinct objects in all sources, whether or not a transformer uses them. */
  get objects(): number {
    return this.#inputs.values().reduce((sum, { size }) => sum + size, 0);
  }

  /** The objects of all sources, by the collection that sources fill. Only collections that a transformer reads. */
  get united(): ReadonlyMap<string, Collection<Config>> {
    return this.#inputs;
  }

  /** All sources' versions of one object, in order of precedence: the first one is in use. */
  definitionsOf(collection: string, key: string): readonly Config[] {
    return this.#active.partsOf(collection).flatMap((part) => part.get(key) ?? []);
  }

  /** The outputs of one group, by output name. */
  outputsOf(group: SnapshotGroup): ReadonlyMap<string, Collection<Config>> {
    const names = new Set(collectionsOf(group, this.#transforms));
    return new Map([...this.outputs].filter(([name]) => names.has(name)));
  }

  /** Resolves when every source is running. If one source cannot start, all sources are stopped. */
  start(): Promise<void> {
    return this.#active.start();
  }

  /** The outputs keep their objects. No source changes them any more. */
  stop(): Promise<void> {
    return this.#active.stop();
  }

  idle(): Promise<void> {
    return this.#active.idle();
  }

  /**
   * Continues with these sources, in order of precedence. Existing sources keep running. A new source counts once it
   * has synced. The objects of a removed source disappear at once, and later sources show theirs. If a new source is
   * `replacing` it, the old objects stay until the new ones are complete. Rejects when a new source cannot start;
   * nothing changes then. Calls run one after the other.
   */
  replaceSources(sources: readonly Source[], replacing: ReadonlyMap<Source, Source> = new Map()): Promise<void> {
    return this.#active.replace(sources, replacing);
  }

  /** In the order of the sources. */
  health(): readonly SourceHealth[] {
    return this.#active.health();
  }

  /** The objects of each source, with those that other sources provide too. In the order of the sources. */
  shares(): readonly SourceShare[] {
    const { feeds } = this.#active;
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

  clashes(): readonly DuplicateObject[] {
    return this.#unions.flatMap((union) =>
      Array.from(union.clashes(), ([key, claimants]) => ({ collection: union.name, key, claimants })),
    );
  }

  #gather(transforms: readonly Transformer[]): ReadonlyMap<string, UnionCollection<Config>> {
    const names = new Set(transforms.flatMap((transformer) => transformer.inputs));
    return new Map(Array.from(names, (name) => [name, this.#union(name, this.#active.partsOf(name))]));
  }

  /** Called when sources were added, removed or reordered. */
  #reunite(): void {
    for (const [name, union] of this.#inputs) union.replaceParts(this.#active.partsOf(name));
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

  /** One part needs no union. No part gives an empty, synced collection, because no source will fill it. */
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
