import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import type { SourceEvent } from "../source.ts";
import { type Received, ReceivedCollection } from "./received-collection.ts";

/** The received state of a Galley's collections. Pure: it returns the events to report. */
export class ReceivedState {
  readonly #collections = new Map<string, ReceivedCollection>();

  constructor(collections: readonly McpCollection[]) {
    for (const collection of collections) this.#collections.set(collection.name, new ReceivedCollection(collection));
  }

  /** No events for objects that are already held. */
  apply(change: SinkChange): Received {
    return this.#collections.get(change.collection.name)?.apply(change) ?? { events: [], refused: [] };
  }

  /** The number of objects that the change removes, if it leaves none. Otherwise 0. */
  countIfEmptied(change: SinkChange): number {
    return this.#collections.get(change.collection.name)?.countIfEmptied(change) ?? 0;
  }

  /** The Galley lacks the collection: it counts as empty. */
  applyNothing(name: string): readonly SourceEvent[] {
    return this.#collections.get(name)?.clear() ?? [];
  }

  /** The Galley lacks the collection. Another collection provides its objects and its sync. */
  replace(name: string, fallback: McpCollection): readonly SourceEvent[] {
    if (!this.#collections.has(fallback.name)) this.#collections.set(fallback.name, new ReceivedCollection(fallback));
    return this.#collections.get(name)?.forget() ?? [];
  }

  /** Marks the collection as complete with its objects so far, possibly none. */
  settle(name: string): readonly SourceEvent[] {
    return this.#collections.get(name)?.sync() ?? [];
  }
}
