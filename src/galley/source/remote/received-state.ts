import type { McpCollection } from "../../../mcp/collections.ts";
import type { Rejection } from "../../../mcp/observer.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import type { SourceEvent } from "../source.ts";
import { ReceivedCollection } from "./received-collection.ts";

/** The effect of one message from a peer. */
export interface Received {
  readonly events: readonly SourceEvent[];
  /** Objects of the message that break the rules of their kind. The last good version of each stays. */
  readonly refused: readonly Rejection[];
}

/** What a Galley has said of its collections, and what that changes. Pure: it returns what there is to say. */
export class ReceivedState {
  readonly #collections = new Map<string, ReceivedCollection>();

  constructor(collections: readonly McpCollection[]) {
    for (const collection of collections) this.#collections.set(collection.name, new ReceivedCollection(collection));
  }

  /** Nothing for what is held already. */
  apply(change: SinkChange): Received {
    return this.#collections.get(change.collection.name)?.apply(change) ?? { events: [], refused: [] };
  }

  /** The Galley does not have the collection: as if it had said that it is empty. */
  applyNothing(name: string): readonly SourceEvent[] {
    return this.#collections.get(name)?.clear() ?? [];
  }

  /** The Galley does not have the collection, and another one tells what there is, and when that is all. */
  replace(name: string, standIn: McpCollection): readonly SourceEvent[] {
    if (!this.#collections.has(standIn.name)) this.#collections.set(standIn.name, new ReceivedCollection(standIn));
    return this.#collections.get(name)?.forget() ?? [];
  }

  /** What was said of the collection so far is all, if nothing was. */
  settle(name: string): readonly SourceEvent[] {
    return this.#collections.get(name)?.sync() ?? [];
  }
}
