import type { Collection } from "../../collection/collection.ts";
import type { DeriveOptions } from "../../collection/derived.ts";
import { Graph } from "../../collection/graph.ts";

/** A read of a derivation, by their names. */
export interface Dependency {
  readonly derivation: string;
  readonly read: string;
}

/**
 * A graph with a bug: one derivation still reads a collection, but is not run again when what it read changes. An oracle
 * for derivations has to notice, whichever it is.
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
      // What is taken out here is put back below, so the reads are those of Reads.
      reads: tracked as typeof options.reads & {},
      to: (value, given, key) => options.to(value, { ...given, ...untracked }, key),
    });
  }
}
