import type { Collection } from "../../collection/collection.ts";
import type { DeriveOptions } from "../../collection/derived.ts";
import { Graph } from "../../collection/graph.ts";

/** One read of a derivation: the names of the derivation and of the collection. */
export interface Dependency {
  readonly derivation: string;
  readonly read: string;
}

/**
 * A graph with a bug: one derivation reads a collection, but does not run again when that collection changes. An oracle
 * for derivations must notice this for every derivation.
 */
export class ForgetfulGraph extends Graph {
  readonly dependencies: Dependency[] = [];
  readonly #forgotten: Dependency | undefined;

  constructor(forgotten?: Dependency) {
    super();
    this.#forgotten = forgotten;
  }

  override derive<In, Out, Reads>(options: DeriveOptions<In, Out, Reads>): Collection<Out> {
    const reads = Object.entries<Collection<unknown>>(options.reads ?? {});
    for (const [read] of reads) this.dependencies.push({ derivation: options.name, read });
    if (options.name !== this.#forgotten?.derivation) return super.derive(options);
    const forgotten = this.#forgotten.read;
    const untracked = Object.fromEntries(reads.filter(([name]) => name === forgotten));
    const tracked = Object.fromEntries(reads.filter(([name]) => name !== forgotten));
    return super.derive({
      ...options,
      // This removes a read and adds it again below, so the reads have the type of Reads.
      reads: tracked as typeof options.reads & {},
      to: (value, given, key) => options.to(value, { ...given, ...untracked }, key),
    });
  }
}
