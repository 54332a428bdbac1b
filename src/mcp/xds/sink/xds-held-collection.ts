import { type Config, configKey } from "../../../config/config.ts";
import { assert } from "../../../lib/assert.ts";
import type { MeshError } from "../../../lib/errors.ts";
import type { McpCollection } from "../../collections.ts";
import { readResourceName, resourceName } from "../../envelope/resource-name.ts";
import type { RejectedResource } from "../../mcp-observer.ts";
import type { SinkLimits } from "../../sink/held-sizes.ts";
import type { SinkChange } from "../../sink/sink-updater.ts";
import { isSyntheticName } from "../config-form.ts";
import { typeUrlsOf } from "../config-types.ts";
import { isForRevision } from "../revision.ts";
import { type HeldChange, HeldType } from "./held-type.ts";
import type { ConfigResponse } from "./read-config-response.ts";

export interface XdsHeldCollectionOptions {
  readonly sourceName: string;
  /** Whether to accept ServiceEntries that the server made of services (XC-4). */
  readonly takesSynthetic: boolean;
  /**
   * Accepts only objects of this revision and those without one, because a real istiod sends all. Undefined for all.
   */
  readonly revision: string | undefined;
  /** Overrides of the default limits per collection. */
  readonly limits?: SinkLimits;
}

/**
 * One collection, under all its possible URLs at a server (XC-2). A server that knows the kind only in another version
 * gives an empty answer. So if the preferred URL is empty, the other URLs are requested too, and their contents are
 * united. The held state survives streams.
 */
export class XdsHeldCollection {
  readonly collection: McpCollection;
  readonly #options: XdsHeldCollectionOptions;
  /** The preferred type first. */
  readonly #types: readonly HeldType[];
  readonly #asked = new Set<string>();
  /** Requested on this stream and not answered yet. */
  readonly #awaited = new Set<string>();
  /** The keys of changes since the last {@link change}, by name. */
  readonly #pending = new Map<string, string>();
  /** Unreadable resources since the last {@link change}, by name. */
  readonly #unreadable = new Map<string, RejectedResource>();
  #told = false;

  constructor(collection: McpCollection, options: XdsHeldCollectionOptions) {
    this.collection = collection;
    this.#options = options;
    const { sourceName, limits } = options;
    this.#types = typeUrlsOf(collection).map((typeUrl) => new HeldType({ typeUrl, collection }, sourceName, limits));
  }

  get typeUrls(): readonly string[] {
    return this.#types.map(({ type }) => type.typeUrl);
  }

  /** The type URLs requested so far, on any stream. */
  get asked(): ReadonlySet<string> {
    return this.#asked;
  }

  /** Whether all requests of this stream have an answer. */
  get complete(): boolean {
    return this.#awaited.size === 0;
  }

  awaits(typeUrl: string): boolean {
    return this.#awaited.has(typeUrl);
  }

  versions(typeUrl: string): ReadonlyMap<string, string> {
    return this.#type(typeUrl).versions;
  }

  /** A new stream begins. Returns the type URLs to request. */
  restart(): readonly string[] {
    return this.#ask(this.#asked.size === 0 ? this.typeUrls.slice(0, 1) : [...this.#asked]);
  }

  /** The further type URLs to request, once, because the preferred URL is empty. */
  more(): readonly string[] {
    const [preferred] = this.#types;
    if (preferred === undefined || preferred.size > 0 || this.#awaited.has(preferred.type.typeUrl)) return [];
    return this.#ask(this.typeUrls.filter((typeUrl) => !this.#asked.has(typeUrl)));
  }

  /** The limit that a response would exceed. No part of such a response may be accepted. */
  excessOf(response: ConfigResponse, options: { readonly whole: boolean }): MeshError | undefined {
    return this.#type(response.typeUrl).excessOf(response, options);
  }

  /**
   * Accepts a response of one of its types. With `whole`, missing resources are gone. Returns new unreadable content.
   */
  take(response: ConfigResponse, { whole }: { readonly whole: boolean }): readonly RejectedResource[] {
    const taken = this.#type(response.typeUrl).take(response, { whole });
    this.#awaited.delete(response.typeUrl);
    for (const change of taken.changes) this.#pending.set(change.name, this.#keyOf(change));
    const rejected = taken.rejected.map(({ name, reason }) => ({ name: this.#plainName(name), reason }));
    for (const each of rejected) this.#unreadable.set(each.name, each);
    return rejected;
  }

  /**
   * The changes since the last call. Undefined without changes, and while a pending answer may contain resources that
   * another answer lacks.
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

  /** A change was not delivered: the next one contains everything. */
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

  #type(typeUrl: string): HeldType {
    const held = this.#types.find(({ type }) => type.typeUrl === typeUrl);
    assert(held !== undefined, "a collection is told of its own types");
    return held;
  }

  #get(name: string): Config | undefined {
    const { takesSynthetic, revision } = this.#options;
    const isSynthetic = this.collection.kind.kind === "ServiceEntry" && isSyntheticName(name);
    if (isSynthetic && !takesSynthetic) return undefined;
    const config = this.#types.map((type) => type.get(name)).find((held) => held !== undefined);
    return config !== undefined && isForRevision(config.labels, revision) ? config : undefined;
  }

  #keyOf({ name, before }: HeldChange): string {
    const id = before ?? readResourceName(name, this.collection);
    return id === undefined ? name : configKey(id);
  }

  /** The name in the form of both dialects: `/name` becomes `name`. */
  #plainName(name: string): string {
    const id = readResourceName(name, this.collection);
    return id === undefined ? name : resourceName(id, this.collection);
  }
}
