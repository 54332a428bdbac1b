import { type Config, configKey } from "../../config/config.ts";
import type { Source, SourceEvent, SourceHandler } from "../../galley/source/source.ts";

/** An object to write, or (undefined) to delete. */
export interface SourceEdit {
  readonly collection: string;
  readonly key: string;
  readonly config: Config | undefined;
}

/** A source over its own world. Its events arrive in order, but only when the test delivers them. */
export class ManualSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  /** The collections whose full sync was delivered at least once. */
  readonly told = new Set<string>();
  readonly #world: ReadonlyMap<string, Map<string, Config>>;
  readonly #queue: (readonly SourceEvent[])[] = [];
  #handler: SourceHandler | undefined;
  #lastHandler: SourceHandler | undefined;

  constructor(name: string, collections: readonly string[]) {
    this.name = name;
    this.collections = collections;
    this.#world = new Map(collections.map((collection) => [collection, new Map()]));
  }

  get world(): Iterable<SourceEdit> {
    return this.#world.entries().flatMap(([collection, contents]) => {
      return contents.entries().map(([key, config]) => ({ collection, key, config }));
    });
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    this.#lastHandler = handler;
    this.#tellAnew(0);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#handler = undefined;
    this.#queue.length = 0;
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  /** Applies edits as one change. The source reports them in one list of events. */
  change(edits: readonly SourceEdit[]): void {
    this.#apply(edits);
    this.#queue.push(edits.map(eventOf));
  }

  /** Repeats an earlier event: the state of an object, its deletion, or the full sync of its collection. */
  repeat({ collection, key }: SourceEdit): void {
    const event = eventOf({ collection, key, config: this.#world.get(collection)?.get(key) });
    this.#queue.push([event], [event, { type: "fullSync", collection }]);
  }

  /** Misses these edits, drops its pending events, and sends everything anew. `order` selects the order. */
  lose(order: number, edits: readonly SourceEdit[]): void {
    this.#apply(edits);
    this.#queue.length = 0;
    this.#queue.push([{ type: "reset" }]);
    this.#tellAnew(order);
  }

  /** Delivers up to `count` lists of events. */
  deliver(count: number): void {
    for (const events of this.#queue.splice(0, count)) {
      for (const event of events) if (event.type === "fullSync") this.told.add(event.collection);
      this.#handler?.(events);
    }
  }

  drain(): void {
    this.deliver(this.#queue.length);
  }

  /** Sends an event although the source is stopped. */
  haunt(config: Config, collection: string): void {
    this.#lastHandler?.([{ type: "upserted", collection, config }]);
  }

  #apply(edits: readonly SourceEdit[]): void {
    for (const { collection, key, config } of edits) {
      if (config === undefined) this.#world.get(collection)?.delete(key);
      else this.#world.get(collection)?.set(key, config);
    }
  }

  #tellAnew(order: number): void {
    const collections = rotated([...this.#world], order);
    for (const [collection, contents] of collections) {
      for (const config of rotated([...contents.values()], order)) {
        this.#queue.push([{ type: "upserted", collection, config }]);
      }
      if (order % 2 === 0) this.#queue.push([{ type: "fullSync", collection }]);
    }
    if (order % 2 === 1) {
      for (const [collection] of collections) this.#queue.push([{ type: "fullSync", collection }]);
    }
  }
}

function eventOf({ collection, key, config }: SourceEdit): SourceEvent {
  return config === undefined ? { type: "deleted", collection, key } : { type: "upserted", collection, config };
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

export function writing(collection: string, config: Config): SourceEdit {
  return { collection, key: configKey(config), config };
}
