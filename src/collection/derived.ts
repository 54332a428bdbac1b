import { deepEqual } from "../lib/equal.ts";
import { Cell, type Equals, type Twin, type Upstream } from "./cell.ts";
import { Claims } from "./claims.ts";
import type { Collection, Problem, Tracked } from "./collection.ts";
import type { GraphNode } from "./graph-node.ts";
import { type Outputs, outputsByKey } from "./outputs.ts";
import { Problems } from "./problems.ts";
import { ReadIndex, Recorder } from "./tracked.ts";

/** Callers give pure, synchronous functions. They write to no input, and change neither arguments nor results. */
export interface DeriveOptions<In, Out, Reads> {
  /** Unique in the graph. */
  readonly name: string;
  /** A collection of the same graph, like all of `reads`. */
  readonly from: Collection<In>;
  /** The collections that `to` may read beside its input. A collection that is not listed here must not be read. */
  readonly reads?: { readonly [K in keyof Reads]: Collection<Reads[K]> };
  /**
   * The key of an output. It depends on the output alone. If several inputs yield one key, the smallest input key wins.
   * Within one input the first output wins.
   */
  key(output: Out): string;
  /**
   * The outputs of one input, none of them undefined. Depends only on its arguments, and reads only while it runs. If
   * it throws, the last good outputs of that input stay. The graph lists a problem until it succeeds or the input goes.
   */
  to(value: In, reads: TrackedReads<Reads>, key: string): Iterable<Out>;
  /** Decides whether an output equals the present one. The default is structural equality. */
  readonly equals?: Equals<Out>;
}

type TrackedReads<Reads> = { readonly [K in keyof Reads]: Tracked<Reads[K]> };

/** Runs one pure function per input entry, and again only when that entry or something it read has changed. */
export class DerivedNode<In, Out, Reads> implements GraphNode {
  readonly kind = "derived";
  readonly output: Cell<Out>;
  readonly inputs: readonly Upstream<unknown>[];
  readonly reads: readonly Upstream<unknown>[];
  readonly #options: DeriveOptions<In, Out, Reads>;
  readonly #from: Upstream<In>;
  #indexes: readonly (readonly [name: string, index: ReadIndex<unknown>])[];
  readonly #outputsOf = new Map<string, Outputs<Out>>();
  readonly #claims = new Claims();
  readonly #problems: Problems;

  constructor(
    options: DeriveOptions<In, Out, Reads>,
    from: Upstream<In>,
    reads: readonly (readonly [name: string, source: Upstream<unknown>])[],
    twin?: Twin<Out>,
  ) {
    this.output = new Cell(options.name, options.equals ?? deepEqual, twin);
    this.inputs = [from];
    this.reads = reads.map(([, source]) => source);
    this.#options = options;
    this.#from = from;
    this.#indexes = reads.map(([name, source]) => [name, new ReadIndex(source)]);
    this.#problems = new Problems(options.name);
    this.#update(new Set(Array.from(from.entries(), ([key]) => key)));
  }

  get problems(): ReadonlyMap<string, Problem> {
    return this.#problems.byInput;
  }

  settle(): void {
    const woken = new Set<string>();
    for (const { key } of this.#from.changes) woken.add(key);
    for (const [, index] of this.#indexes) index.wake(woken);
    this.#update(woken);
  }

  /** Here too, an input whose function throws keeps its last good outputs. */
  rebuild(): void {
    const lastGood = new Map(this.#outputsOf);
    this.#outputsOf.clear();
    this.#claims.clear();
    this.#indexes = this.#indexes.map(([name, { source }]) => [name, new ReadIndex(source)]);
    for (const input of this.#problems.byInput.keys()) this.#problems.clear(input);
    const touched = new Set(Array.from(this.output.entries(), ([key]) => key));
    for (const [input, value] of this.#from.entries()) {
      this.#claim(input, this.#run(input, value) ?? lastGood.get(input) ?? new Map(), touched);
    }
    this.#publishAll(touched);
  }

  #update(inputs: ReadonlySet<string>): void {
    const touched = new Set<string>();
    for (const input of inputs) this.#rerun(input, touched);
    this.#publishAll(touched);
  }

  #publishAll(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#publish(key);
    if (this.#from.synced && this.reads.every((source) => source.synced)) this.output.markSynced();
  }

  #rerun(input: string, touched: Set<string>): void {
    const value = this.#from.get(input);
    if (value === undefined) {
      this.#forget(input);
      this.#claim(input, new Map(), touched);
      return;
    }
    const outputs = this.#run(input, value);
    if (outputs !== undefined) this.#claim(input, outputs, touched);
  }

  /**
   * The outputs of one input by key, or undefined if the function threw. Reads before the error are recorded as well.
   */
  #run(input: string, value: In): Outputs<Out> | undefined {
    const recordings = this.#indexes.map(([name, index]) => ({ name, index, recorder: new Recorder(index.source) }));
    // The entries come from `options.reads`, so the names and types are those of Reads.
    const reads = Object.fromEntries<unknown>(
      recordings.map(({ name, recorder }) => [name, recorder]),
    ) as TrackedReads<Reads>;
    const outputs = this.#problems.attempt(input, value, () =>
      outputsByKey(this.#options.to(value, reads, input), (output) => this.#options.key(output)),
    );
    for (const { index, recorder } of recordings) {
      recorder.seal();
      index.remember(input, recorder);
    }
    return outputs;
  }

  #forget(input: string): void {
    for (const [, index] of this.#indexes) index.forget(input);
    this.#problems.clear(input);
  }

  #claim(input: string, outputs: Outputs<Out>, touched: Set<string>): void {
    const before = this.#outputsOf.get(input);
    for (const key of before?.keys() ?? []) {
      touched.add(key);
      if (!outputs.has(key)) this.#claims.remove(key, input);
    }
    for (const key of outputs.keys()) {
      touched.add(key);
      if (before?.has(key) !== true) this.#claims.add(key, input);
    }
    if (outputs.size > 0) this.#outputsOf.set(input, outputs);
    else this.#outputsOf.delete(input);
  }

  #publish(key: string): void {
    const winner = this.#claims.winner(key);
    const outputs = winner === undefined ? undefined : this.#outputsOf.get(winner);
    const value = outputs?.get(key);
    if (outputs === undefined || value === undefined) {
      this.output.remove(key);
      return;
    }
    // Keep the object that readers already have, so that no equal object is held beside it.
    outputs.set(key, this.output.write(key, value));
  }
}
