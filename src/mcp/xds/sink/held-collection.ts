import { type Config, configKey } from "../../../config/config.ts";
import type { McpCollection } from "../../collections.ts";
import { readResourceName, resourceName } from "../../envelope/resource-name.ts";
import type { Rejection } from "../../observer.ts";
import type { SinkChange } from "../../sink/sink-updater.ts";
import { isSyntheticName } from "../config-form.ts";
import { typeUrlsOf } from "../config-types.ts";
import { isForRevision } from "../revision.ts";
import { type HeldChange, HeldType } from "./held-type.ts";
import type { Response } from "./read-response.ts";

export interface HeldCollectionOptions {
  readonly sourceName: string;
  /** Whether ServiceEntries that the server made of services are taken, too (XC-4). */
  readonly takesSynthetic: boolean;
  /** Only objects of this revision are taken, and those without one: a real istiod tells all. Undefined for all. */
  readonly revision: string | undefined;
}

/**
 * One collection, under all URLs that it may have at a server (XC-2): one that knows the kind by another version only
 * answers with nothing, so where the preferred URL has nothing the others are asked for as well, and what they hold is
 * united. What is held survives streams.
 */
export class HeldCollection {
  readonly collection: McpCollection;
  readonly #options: HeldCollectionOptions;
  /** The preferred one first. */
  readonly #types: readonly HeldType[];
  readonly #asked = new Set<string>();
  /** Asked on this stream and not answered yet. */
  readonly #awaited = new Set<string>();
  /** The keys of what has changed since the last {@link change}, by name. */
  readonly #pending = new Map<string, string>();
  /** What came since then and cannot be read, by name. */
  readonly #unreadable = new Map<string, Rejection>();
  #told = false;

  constructor(collection: McpCollection, options: HeldCollectionOptions) {
    this.collection = collection;
    this.#options = options;
    const { sourceName } = options;
    this.#types = typeUrlsOf(collection).map((typeUrl) => new HeldType({ typeUrl, collection }, sourceName));
  }

  get typeUrls(): readonly string[] {
    return this.#types.map(({ type }) => type.typeUrl);
  }

  /** What was asked for so far, on whatever stream. */
  get asked(): ReadonlySet<string> {
    return this.#asked;
  }

  /** Whether everything that was asked for on this stream was answered. */
  get complete(): boolean {
    return this.#awaited.size === 0;
  }

  awaits(typeUrl: string): boolean {
    return this.#awaited.has(typeUrl);
  }

  versions(typeUrl: string): ReadonlyMap<string, string> {
    return this.#type(typeUrl)?.versions ?? new Map();
  }

  /** A new stream begins. The result is what to ask for. */
  restart(): readonly string[] {
    this.#awaited.clear();
    return this.#ask(this.#asked.size === 0 ? this.typeUrls.slice(0, 1) : [...this.#asked]);
  }

  /** What has to be asked for as well, once: the preferred URL has nothing. */
  more(): readonly string[] {
    const [preferred] = this.#types;
    if (preferred === undefined || preferred.size > 0 || this.#awaited.has(preferred.type.typeUrl)) return [];
    return this.#ask(this.typeUrls.filter((typeUrl) => !this.#asked.has(typeUrl)));
  }

  /** Takes a response of one of its types; `whole` if what that lacks is gone. The result is new content that cannot be read. */
  take(response: Response, { whole }: { readonly whole: boolean }): readonly Rejection[] {
    const taken = this.#type(response.typeUrl)?.take(response, { whole });
    if (taken === undefined) return [];
    this.#awaited.delete(response.typeUrl);
    for (const change of taken.changes) this.#pending.set(change.name, this.#keyOf(change));
    const rejected = taken.rejected.map(({ name, reason }) => ({ name: this.#plainName(name), reason }));
    for (const each of rejected) this.#unreadable.set(each.name, each);
    return rejected;
  }

  /**
   * What has changed since it was last asked. Undefined where nothing has, and as long as an answer is awaited that may
   * have what another one lacks.
   */
  change(systemVersion: string): SinkChange | undefined {
    if (!this.complete || (this.#told && this.#pending.size + this.#unreadable.size === 0)) return undefined;
    const incremental = this.#told;
    const names = incremental ? this.#pending.keys() : this.#types.flatMap((type) => [...type.names()]);
    const objects = new Map(Array.from(names, (name) => [name, this.#get(name)]));
    const change = {
      collection: this.collection,
      systemVersion,
      incremental,
      objects: [...objects.values()].filter((config) => config !== undefined),
      removed: [...this.#pending].filter(([name]) => this.#get(name) === undefined).map(([, key]) => key),
      unreadable: [...this.#unreadable.values()],
    };
    this.#pending.clear();
    this.#unreadable.clear();
    this.#told = true;
    return change;
  }

  /** A change did not arrive: the next one says everything. */
  forgetTold(): void {
    this.#told = false;
  }

  #ask(typeUrls: readonly string[]): readonly string[] {
    for (const typeUrl of typeUrls) {
      this.#asked.add(typeUrl);
      this.#awaited.add(typeUrl);
    }
    return typeUrls;
  }

  #type(typeUrl: string): HeldType | undefined {
    return this.#types.find(({ type }) => type.typeUrl === typeUrl);
  }

  #get(name: string): Config | undefined {
    const { takesSynthetic, revision } = this.#options;
    const isSynthetic = this.collection.kind.kind === "ServiceEntry" && isSyntheticName(name);
    if (isSynthetic && !takesSynthetic) return undefined;
    const config = this.#types.map((type) => type.get(name)).find((held) => held !== undefined);
    return config !== undefined && isForRevision(config.labels, revision) ? config : undefined;
  }

  #keyOf({ name, before }: HeldChange): string {
    const id = before ?? this.#get(name) ?? readResourceName(name, this.collection);
    return id === undefined ? name : configKey(id);
  }

  /** As both dialects would say it: `/name` is `name`. */
  #plainName(name: string): string {
    const id = readResourceName(name, this.collection);
    return id === undefined ? name : resourceName(id, this.collection);
  }
}
