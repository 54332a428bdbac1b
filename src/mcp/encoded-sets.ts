import { changesBetween } from "../collection/changes-between.ts";
import type { Change, View } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import type { Resource } from "../xds/resources/resource.ts";
import { ResourceSet } from "../xds/resources/resource-set.ts";
import type { McpCollection } from "./collections.ts";
import { encodeEntry } from "./envelope/encode-resource.ts";
import { EnvelopeError } from "./envelope/envelope-error.ts";
import { resourceName } from "./envelope/resource-name.ts";

/** The wire form of objects in one dialect. It must depend only on its arguments. */
export interface WireForm {
  /** The wire name of the object. */
  nameOf(config: Config, collection: McpCollection): string;
  /** Differs whenever the entry differs, and is never empty. By default the object's own version. */
  versionOf?(config: Config, collection: McpCollection): string;
  /** The whole entry of the object in a response. Throws an {@link EnvelopeError} if it cannot be sent. */
  entryOf(config: Config, collection: McpCollection): Uint8Array;
}

/** `Resources` of MCP v1alpha1. */
export const mcpForm: WireForm = { nameOf: resourceName, entryOf: encodeEntry };

/** Collections as sets of encoded resources, always from the newest snapshot. */
export interface CollectionSets {
  /** Undefined while the collection is unknown. Its `version` is a hash of its content, never empty. */
  get(collection: string): ResourceSet | undefined;
}

interface Made {
  readonly view: View<Config>;
  readonly set: ResourceSet;
}

/** The origin of the views. */
export interface CollectionViews {
  readonly collections: ReadonlyMap<string, McpCollection>;
  view(collection: string): View<Config> | undefined;
}

/** The sets of one form. A change costs only the changed object: the chunks and bytes of others are reused. */
export class EncodedSets implements CollectionSets {
  readonly #form: WireForm;
  readonly #views: CollectionViews;
  readonly #onRefused: (collection: string, error: EnvelopeError) => void;
  readonly #made = new Map<string, Made>();

  constructor(form: WireForm, views: CollectionViews, onRefused: (collection: string, error: EnvelopeError) => void) {
    this.#form = form;
    this.#views = views;
    this.#onRefused = onRefused;
  }

  get(name: string): ResourceSet | undefined {
    const view = this.#views.view(name);
    const collection = this.#views.collections.get(name);
    if (view === undefined || collection === undefined) return undefined;
    const before = this.#made.get(name);
    if (before?.view === view) return before.set;
    const set = this.#advance(collection, before, view);
    this.#made.set(name, { view, set });
    return set;
  }

  #advance(collection: McpCollection, before: Made | undefined, view: View<Config>): ResourceSet {
    const covers = new Set<string>();
    const resources: Resource[] = [];
    for (const change of changesBetween(before?.view, view)) {
      const name = this.#form.nameOf(newest(change), collection);
      const resource = change.type === "removed" ? undefined : this.#resourceOf(change.after, name, collection);
      if (change.type !== "removed" && resource === undefined) continue;
      covers.add(name);
      if (resource !== undefined) resources.push(resource);
    }
    return (before?.set ?? ResourceSet.empty).apply({ covers, resources });
  }

  #resourceOf(config: Config, name: string, collection: McpCollection): Resource | undefined {
    try {
      const version = this.#form.versionOf?.(config, collection) ?? config.version;
      return { name, version, entry: this.#form.entryOf(config, collection), owners: [] };
    } catch (thrown) {
      if (!(thrown instanceof EnvelopeError)) throw thrown;
      this.#onRefused(collection.name, thrown);
      return undefined;
    }
  }
}

function newest(change: Change<Config>): Config {
  return change.type === "removed" ? change.before : change.after;
}
