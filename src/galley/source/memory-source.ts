import { type Config, configKey } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import type { Source, SourceEvent, SourceHandler } from "./source.ts";

export interface MemorySourceOptions {
  readonly name: string;
  readonly collections: readonly string[];
}

/** A source that code fills directly: for embedding, for tests, and for configuration that is already in memory. */
export class MemorySource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #contents: ReadonlyMap<string, Map<string, Config>>;
  readonly #issues = new Map<string, readonly Issue[]>();
  #handler: SourceHandler | undefined;
  /** Events held back while {@link batch} runs. */
  #held: SourceEvent[] | undefined;

  constructor({ name, collections }: MemorySourceOptions) {
    this.name = name;
    this.collections = collections;
    this.#contents = new Map(collections.map((collection) => [collection, new Map()]));
  }

  start(handler: SourceHandler): Promise<void> {
    if (this.#handler === undefined) {
      this.#handler = handler;
      this.#emit([...this.#everything()]);
    }
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#handler = undefined;
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  /** Objects set while the source is stopped are reported at the next start. */
  set(collection: string, config: Config): void {
    const contents = this.#contents.get(collection);
    if (contents === undefined) {
      this.report(`${collection}/${configKey(config)}`, [unknownCollection(collection, config)]);
      return;
    }
    contents.set(configKey(config), config);
    this.#emit([{ type: "upserted", collection, config }]);
  }

  delete(collection: string, key: string): void {
    if (this.#contents.get(collection)?.delete(key)) this.#emit([{ type: "deleted", collection, key }]);
  }

  /** Removes all objects, as one list of events. */
  clear(): void {
    this.batch(() => {
      for (const [collection, contents] of this.#contents) {
        for (const key of contents.keys()) this.delete(collection, key);
      }
    });
  }

  /** Reports the issues of one part, replacing its earlier issues. */
  report(part: string, issues: readonly Issue[]): void {
    if (issues.length > 0) this.#issues.set(part, issues);
    else if (!this.#issues.delete(part)) return;
    this.#emit([{ type: "issues", part, issues }]);
  }

  /** Simulates a lost connection: resets and reports everything again. */
  reset(): void {
    this.#emit([{ type: "reset" }, ...this.#everything()]);
  }

  /** Reports all changes of `work` as one list of events. */
  batch(work: () => void): void {
    if (this.#held !== undefined) {
      work();
      return;
    }
    const held: SourceEvent[] = [];
    this.#held = held;
    try {
      work();
    } finally {
      this.#held = undefined;
      if (held.length > 0) this.#emit(held);
    }
  }

  *#everything(): Iterable<SourceEvent> {
    for (const [part, issues] of this.#issues) yield { type: "issues", part, issues };
    for (const [collection, contents] of this.#contents) {
      for (const config of contents.values()) yield { type: "upserted", collection, config };
      yield { type: "fullSync", collection };
    }
  }

  #emit(events: readonly SourceEvent[]): void {
    if (this.#handler === undefined) return;
    if (this.#held === undefined) this.#handler(events);
    else for (const event of events) this.#held.push(event);
  }
}

function unknownCollection(collection: string, config: Config): Issue {
  return {
    severity: "error",
    code: "unknown-kind",
    object: `${config.kind} ${configKey(config)}`,
    path: "",
    message: `this source does not fill ${collection}`,
    place: config.origin.locate(""),
  };
}
