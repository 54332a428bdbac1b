import { append } from "../lib/append.ts";
import { assert } from "../lib/assert.ts";
import { compareTexts } from "../lib/compare.ts";
import { errorFrom } from "../lib/errors.ts";
import type { Cancel } from "../lib/time/clock.ts";
import type { SettledChanges, Twin, Upstream } from "./cell.ts";
import type { Collection, Commit, Problem } from "./collection.ts";
import { SettledCommit } from "./commit.ts";
import { DerivedNode, type DeriveOptions } from "./derived.ts";
import { GroupNode, type GroupOptions } from "./group.ts";
import { type Input, InputNode, type InputOptions, type Write } from "./input.ts";
import type { GraphNode } from "./graph-node.ts";
import { type UnionCollection, UnionNode, type UnionOptions } from "./union.ts";

/** Called after a settle. It may start batches, and should not throw: its error reaches the caller of the batch. */
export type CommitListener = (commit: Commit) => void;

/** Description of one node of the graph, for the debug page and the docs. */
export interface NodeDescription {
  readonly name: string;
  readonly kind: GraphNode["kind"];
  readonly size: number;
  readonly synced: boolean;
  readonly inputs: readonly string[];
  readonly reads: readonly string[];
}

/**
 * A graph of collections that are derived from one another. Writes go to inputs. A batch of writes settles every
 * collection once and calls listeners with one {@link Commit}. A collection depends only on inputs and on collections
 * created before it. Creation order, inputs first, is therefore a topological order, and cycles cannot exist. Names are
 * unique. A collection created late starts filled, and no commit lists its initial entries. The iteration order of
 * collections is unspecified; changes are sorted by key. Derived collections live as long as the graph: callers create
 * them once, not per event. Nothing needs to be closed.
 *
 * A graph may have a twin: a graph with the same derivations from mostly the same objects. Where outputs of the two are
 * equal, this graph holds the objects of the twin. So values that are kept for an object serve both graphs.
 */
export class Graph {
  /** By the collection that callers hold, in creation order. */
  readonly #nodes = new Map<Collection<unknown>, GraphNode>();
  readonly #listeners = new Set<{ readonly run: CommitListener }>();
  /** The writes of the batch that is running. */
  #open: Write[] | undefined;
  /** Finished batches that wait until the commits before them are delivered. */
  readonly #queue: Write[][] = [];
  #phase: "quiet" | "settling" | "delivering" = "quiet";
  /** Nodes that failed to settle. They show the content of the last good commit, and every batch tries again. */
  readonly #broken = new Map<GraphNode, Problem>();
  #sequence = 0;
  readonly #twin: Graph | undefined;

  constructor(twin?: Graph) {
    this.#twin = twin;
  }

  /** An input for external data. The name must be new to the graph. */
  input<T>(name: string, options: InputOptions<T> = {}): Input<T> {
    const node = new InputNode(name, options, (write) => this.#enqueue(write));
    return this.#add(node, node);
  }

  /** Runs a pure function per entry of `from`; see {@link DeriveOptions}. Synced when `from` and all reads are. */
  derive<In, Out, Reads>(options: DeriveOptions<In, Out, Reads>): Collection<Out> {
    const reads = Object.entries<Collection<unknown>>(options.reads ?? {});
    const sources = reads.map(([name, collection]) => [name, this.#upstream(collection)] as const);
    const node = new DerivedNode(options, this.#upstream(options.from), sources, this.#twinOf(options.name));
    return this.#add(node, node.output);
  }

  /** An index of `from`: for each group key the values that belong to it; see {@link GroupOptions}. */
  group<T>(options: GroupOptions<T>): Collection<readonly T[]> {
    const node = new GroupNode(options, this.#upstream(options.from), this.#twinOf(options.name));
    return this.#add(node, node.output);
  }

  /** Combines several collections into one. If several have a key, the first collection wins. */
  union<T>(options: UnionOptions<T>): UnionCollection<T> {
    const node = new UnionNode<T>(options, {
      upstream: (collection) => this.#upstream(collection),
      enqueue: (write) => this.#enqueue(write),
    });
    return this.#add(node, node);
  }

  /**
   * Removes an input from the graph with the batch. The caller first makes sure that no collection depends on it, or the
   * batch throws and the input stays. No commit lists the removal.
   */
  remove(input: Collection<unknown>): void {
    this.#enqueue(() => {
      const node = this.#nodes.get(input);
      assert(node?.kind === "input", `${input.name} is an input of this graph`);
      const isDependent = ({ inputs, reads }: GraphNode) => [...inputs, ...reads].includes(node.output);
      assert(!this.#nodes.values().some(isDependent), `nothing follows from ${input.name} any more`);
      this.#nodes.delete(input);
    });
  }

  /**
   * Applies all writes of `work` as one commit, or none if `work` throws. `work` is synchronous: writes after an `await`
   * are not part of the batch. A derivation must not call this. Returns undefined in three cases: nothing changed, this
   * batch joined an outer batch, or a listener called. A batch from a listener settles after the delivery of the current
   * commit. Throws an AggregateError with the errors of listeners, refused writes and the settle itself. The commit stays
   * valid nevertheless, and later batches settle as usual.
   */
  batch(work: () => void): Commit | undefined {
    assert(this.#phase !== "settling", "no batch starts within a settle: a derivation wrote");
    const outer = this.#open;
    const writes: Write[] = [];
    this.#open = writes;
    try {
      work();
    } finally {
      this.#open = outer;
    }
    if (outer !== undefined) {
      for (const write of writes) outer.push(write);
      return undefined;
    }
    this.#queue.push(writes);
    return this.#phase === "delivering" ? undefined : this.#drain();
  }

  /**
   * Calls listeners in the order of registration. A listener added during a delivery first gets the next commit. The
   * caller cancels its listener when it is done, because the graph holds it until then.
   */
  onCommit(listener: CommitListener): Cancel {
    const entry = { run: listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** The nodes and inputs that still show their last good output, in creation order and then by input key. */
  get problems(): readonly Problem[] {
    const all: Problem[] = [];
    // Callers ask after every commit, and there are rarely any.
    for (const node of this.#nodes.values()) {
      const broken = this.#broken.get(node);
      if (broken !== undefined) all.push(broken);
      if (node.problems.size + node.output.problems.size === 0) continue;
      const own = [...node.problems.values(), ...node.output.problems.values()];
      append(
        all,
        own.toSorted((a, b) => compareTexts(a.input, b.input)),
      );
    }
    return all;
  }

  /** Every node, in creation order. */
  describe(): readonly NodeDescription[] {
    return Array.from(this.#nodes.values(), ({ kind, output, inputs, reads }) => ({
      name: output.name,
      kind,
      size: output.size,
      synced: output.synced,
      inputs: inputs.map(({ name }) => name),
      reads: reads.map(({ name }) => name),
    }));
  }

  #enqueue(write: Write): void {
    if (this.#open === undefined) this.batch(() => this.#enqueue(write));
    else this.#open.push(write);
  }

  #add<C extends Collection<unknown>>(node: GraphNode, collection: C): C {
    assert(this.#phase !== "settling", "a derivation does not change the graph");
    const name = collection.name;
    assert(![...this.#nodes.keys()].some((other) => other.name === name), `the name ${name} is taken`);
    node.output.takeChanges();
    this.#nodes.set(collection, node);
    return collection;
  }

  /** The collection of the twin with this name, which has the same type: both graphs have the same derivations. */
  #twinOf<T>(name: string): Twin<T> | undefined {
    const twin = this.#twin;
    const nodes = twin === undefined ? [] : twin.#nodes.values();
    return Iterator.from(nodes).find(({ output }) => output.name === name)?.output as Twin<T> | undefined;
  }

  #upstream<T>(collection: Collection<T>): Upstream<T> {
    const node = this.#nodes.get(collection);
    assert(node !== undefined, `${collection.name} belongs to this graph`);
    // The output of a node has the type of the collection that the graph returned for it.
    return node.output as Upstream<T>;
  }

  /** Settles and delivers until no listener has written more. Returns the first commit, which belongs to the caller. */
  #drain(): Commit | undefined {
    const failures: unknown[] = [];
    const commits: (Commit | undefined)[] = [];
    for (let writes = this.#queue.shift(); writes !== undefined; writes = this.#queue.shift()) {
      const commit = this.#settle(writes, failures);
      commits.push(commit);
      if (commit !== undefined) this.#deliver(commit, failures);
    }
    if (failures.length > 0) throw new AggregateError(failures, `a batch threw: ${errorFrom(failures[0]).message}`);
    return commits[0];
  }

  #settle(writes: readonly Write[], failures: unknown[]): Commit | undefined {
    this.#phase = "settling";
    for (const write of writes) attempt(write, failures);
    // Inputs depend on nothing. A late input may therefore settle before an earlier collection that now contains it.
    for (const node of this.#nodes.values()) if (node.kind === "input") this.#settleNode(node, failures);
    for (const node of this.#nodes.values()) if (node.kind !== "input") this.#settleNode(node, failures);
    this.#phase = "quiet";
    const settled = new Map<Collection<unknown>, SettledChanges<unknown>>();
    for (const [collection, node] of this.#nodes) {
      const own = node.output.takeChanges();
      if (own.changes.length > 0 || own.newlySynced) settled.set(collection, own);
    }
    return settled.size === 0 ? undefined : new SettledCommit(++this.#sequence, settled);
  }

  /**
   * Rebuilds a node that throws at once. If the rebuild throws too, the contents of the last commit stay. So no reader
   * sees a half-finished settle. The next batch rebuilds the node again.
   */
  #settleNode(node: GraphNode, failures: unknown[]): void {
    const wasBroken = this.#broken.delete(node);
    if (!wasBroken && attempt(() => node.settle(), failures)) return;
    if (attempt(() => node.rebuild(), failures)) return;
    node.output.revert();
    const cause = errorFrom(failures.at(-1));
    this.#broken.set(node, { derivation: node.output.name, input: "", value: undefined, cause });
  }

  #deliver(commit: Commit, failures: unknown[]): void {
    this.#phase = "delivering";
    const present = [...this.#listeners];
    for (const listener of present) {
      if (this.#listeners.has(listener)) attempt(() => listener.run(commit), failures);
    }
    this.#phase = "quiet";
  }
}

/** Returns whether `work` finished. Keeps the error, if any, for the end of the batch. */
function attempt(work: () => void, failures: unknown[]): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    failures.push(thrown);
    return false;
  }
}
