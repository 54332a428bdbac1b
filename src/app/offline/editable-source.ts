import { type Config, configKey } from "../../config/config.ts";
import type { Source, SourceEvent, SourceHandler } from "../../galley/source/source.ts";

/** Another version of an object in a collection of a source, or its removal. */
export interface SourceEdit {
  readonly collection: string;
  readonly key: string;
  readonly config: Config | undefined;
}

/** Passes on the events of a source. Its objects can be replaced, and are themselves again afterwards. */
export class EditableSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #source: Source;
  readonly #objects = new Map<string, Map<string, Config>>();
  readonly #collections = new WeakMap<Config, string>();
  #edited: readonly SourceEdit[] = [];
  #handler: SourceHandler = () => {};

  constructor(source: Source) {
    this.#source = source;
    this.name = source.name;
    this.collections = source.collections;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return this.#source.start((events) => {
      for (const event of events) this.#remember(event);
      handler(events);
    });
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }

  idle(): Promise<void> {
    return this.#source.idle();
  }

  /** Its objects as the source has them, without edits. */
  *objects(): Iterable<{ readonly collection: string; readonly config: Config }> {
    for (const [collection, objects] of this.#objects) {
      for (const config of objects.values()) yield { collection, config };
    }
  }

  /** Undefined for an object of another source. */
  collectionOf(object: Config): string | undefined {
    return this.#collections.get(object);
  }

  /** Replaces all earlier edits. */
  edit(edits: readonly SourceEdit[]): void {
    const undone = this.#edited.map(({ collection, key }) => ({
      collection,
      key,
      config: this.#objects.get(collection)?.get(key),
    }));
    this.#edited = edits;
    const events = [...undone, ...edits].map(eventOf);
    if (events.length > 0) this.#handler(events);
  }

  #remember(event: SourceEvent): void {
    if (event.type === "reset") this.#objects.clear();
    if (event.type === "deleted") this.#objects.get(event.collection)?.delete(event.key);
    if (event.type !== "upserted") return;
    this.#collections.set(event.config, event.collection);
    const objects = this.#objects.get(event.collection) ?? new Map<string, Config>();
    this.#objects.set(event.collection, objects.set(configKey(event.config), event.config));
  }
}

function eventOf({ collection, key, config }: SourceEdit): SourceEvent {
  return config === undefined ? { type: "deleted", collection, key } : { type: "upserted", collection, config };
}
