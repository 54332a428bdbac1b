import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { Rejection } from "../../../mcp/observer.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import type { SourceEvent } from "../source.ts";
import { filledBy, isStandIn } from "./received-collections.ts";

/** Before the name of what stands in for a service. No author can write such a name, so none is hidden. */
const standInPrefix = "synthetic_";

/** What a Galley has said of its collections, and what that changes. Pure: it returns what there is to say. */
export class ReceivedState {
  readonly #collections = new Map<string, ReceivedCollection>();

  constructor(collections: readonly McpCollection[]) {
    for (const collection of collections) this.#collections.set(collection.name, new ReceivedCollection(collection));
  }

  /** Nothing for what is held already. */
  apply(change: SinkChange): readonly SourceEvent[] {
    return this.#collections.get(change.collection.name)?.apply(change) ?? [];
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

  /** These came and could not be used. */
  reject(name: string, rejected: readonly Rejection[]): readonly SourceEvent[] {
    return this.#collections.get(name)?.reject(rejected) ?? [];
  }
}

class ReceivedCollection {
  readonly #collection: McpCollection;
  readonly #name: string;
  /** Whether its objects are no services but stand for them. */
  readonly #standsIn: boolean;
  readonly #configs = new Map<string, Config>();
  /** The names on the wire of what could not be used. */
  readonly #rejected = new Set<string>();
  #synced = false;

  constructor(collection: McpCollection) {
    this.#collection = collection;
    this.#name = filledBy(collection);
    this.#standsIn = isStandIn(collection);
  }

  apply({ incremental, objects, removed, unreadable }: SinkChange): readonly SourceEvent[] {
    const kept = new Set([...unreadable, ...objects.map(configKey)]);
    const gone = incremental ? removed : [...this.#configs.keys()].filter((key) => !kept.has(key));
    return [
      ...this.#forgive(incremental ? new Set([...removed, ...objects.map(configKey)]) : undefined),
      ...gone.flatMap((key) => this.#delete(key)),
      ...objects.flatMap((config) => this.#set(config)),
      ...this.sync(),
    ];
  }

  clear(): readonly SourceEvent[] {
    return [...this.forget(), ...this.sync()];
  }

  forget(): readonly SourceEvent[] {
    return [...this.#forgive(undefined), ...[...this.#configs.keys()].flatMap((key) => this.#delete(key))];
  }

  sync(): readonly SourceEvent[] {
    if (this.#synced) return [];
    this.#synced = true;
    return [{ type: "fullSync", collection: this.#standsIn ? receivedServices : this.#name }];
  }

  reject(rejected: readonly Rejection[]): readonly SourceEvent[] {
    return rejected.map(({ name, reason }) => {
      this.#rejected.add(name);
      return { type: "issues", part: this.#partOf(name), issues: [this.#issue(name, reason)] };
    });
  }

  /** What is said anew, or gone, is no longer wrong; whether it still is comes next. Undefined for everything. */
  #forgive(keys: ReadonlySet<string> | undefined): readonly SourceEvent[] {
    const named = (key: string) => (key === this.#collection.renamed?.key ? this.#collection.renamed.wireName : key);
    const forgiven = keys === undefined ? [...this.#rejected] : [...keys].map(named);
    return forgiven
      .filter((name) => this.#rejected.delete(name))
      .map((name) => ({ type: "issues", part: this.#partOf(name), issues: [] }));
  }

  #delete(key: string): readonly SourceEvent[] {
    const config = this.#configs.get(key);
    if (config === undefined) return [];
    this.#configs.delete(key);
    return [{ type: "deleted", collection: this.#name, key: configKey(this.#told(config)) }];
  }

  #set(config: Config): readonly SourceEvent[] {
    const key = configKey(config);
    const before = this.#configs.get(key);
    if (before !== undefined && isSameConfig(before, config)) return [];
    this.#configs.set(key, config);
    return [{ type: "upserted", collection: this.#name, config: this.#told(config) }];
  }

  #told(config: Config): Config {
    return this.#standsIn ? { ...config, name: `${standInPrefix}${config.name}` } : config;
  }

  #partOf(name: string): string {
    return `${this.#collection.name}/${name}`;
  }

  #issue(name: string, message: string): Issue {
    const object = `${this.#collection.kind.kind} ${name}`;
    return { severity: "error", code: "unreadable", object, path: "", message, place: undefined };
  }
}
