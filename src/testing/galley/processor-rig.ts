import type { Change, Commit } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { Processor } from "../../galley/processor/processor.ts";
import type { Transformer } from "../../galley/processor/transformer.ts";
import { direct } from "../../galley/processor/transforms/direct.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import type { Source, SourceEvent, SourceHandler } from "../../galley/source/source.ts";

/** The collection that a rig's processor derives from `in`. */
export const rigOutput = { collection: "out", group: "default" } as const;

/** A processor that derives `out` from the `in` of its sources, and a record of the changes of each commit. */
export function processorRig(
  sources: readonly Source[],
  transforms: readonly Transformer[] = [direct("in", rigOutput)],
) {
  const graph = new Graph();
  const processor = new Processor({ graph, sources, transforms });
  const entries = processor.outputs.get("out");
  if (entries === undefined) throw new Error("the transformers make it");
  const commits: Commit[] = [];
  /** The changes of each commit to the output. Commits without a change add nothing. */
  const changes: (readonly string[])[] = [];
  graph.onCommit((commit) => {
    commits.push(commit);
    const done = commit.changesOf(entries).map(told);
    if (done.length > 0) changes.push(done);
  });
  return { graph, processor, entries, commits, changes };
}

function told(change: Change<Config>): string {
  return change.type === "removed" ? `-${change.before.name}` : `+${change.after.name}@${change.after.version}`;
}

export function rigMemory(name: string): MemorySource {
  return new MemorySource({ name, collections: ["in"] });
}

/** A source that sends the events of the test. */
export class ScriptedSource implements Source {
  readonly name = "scripted";
  readonly collections: readonly string[];
  #handler: SourceHandler | undefined;

  constructor(collections: readonly string[] = ["in"]) {
    this.collections = collections;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return Promise.resolve();
  }

  /** Never stops: the processor must not depend on it. */
  stop(): Promise<void> {
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  say(event: SourceEvent): void {
    this.#handler?.([event]);
  }
}

/** A source that fails to start. */
export const brokenSource: Source = {
  name: "broken",
  collections: ["in"],
  start: () => Promise.reject(new Error("no such directory")),
  stop: () => Promise.resolve(),
  idle: () => Promise.resolve(),
};
