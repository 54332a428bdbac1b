import type { View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { Memo } from "../../lib/memo.ts";
import type { McpCollection } from "../collections.ts";
import type { CollectionViews } from "../formed-sets.ts";
import { syntheticName } from "./config-form.ts";
import { isForRevision } from "./revision.ts";

const writtenEntries = "istio/networking/v1alpha3/serviceentries";

/**
 * What of the collections the clients of one revision see: objects of that revision and those without one (XS-11). Of
 * entries that were made of services those are left out whose names somebody has written an entry under.
 */
export class VisibleViews implements CollectionViews {
  readonly #all: CollectionViews;
  readonly #revision: string | undefined;
  readonly #kept = new Memo<View<Config>>();

  constructor(all: CollectionViews, revision: string | undefined) {
    this.#all = all;
    this.#revision = revision;
  }

  get collections(): ReadonlyMap<string, McpCollection> {
    return this.#all.collections;
  }

  view(collection: string): View<Config> | undefined {
    const view = this.#all.view(collection);
    if (view === undefined) return undefined;
    const written = collection === syntheticEntries ? this.#all.view(writtenEntries) : undefined;
    const keep = (config: Config) =>
      isForRevision(config.labels, this.#revision) &&
      (written === undefined || written.get(syntheticName(config)) === undefined);
    return this.#kept.get(written === undefined ? [view] : [view, written], "", () => keeping(view, keep));
  }
}

/** The view without what is not kept; itself where all is, since two of the same lineage are cheap to compare. */
function keeping(view: View<Config>, keep: (config: Config) => boolean): View<Config> {
  const kept = new Map<string, Config>();
  for (const [key, config] of view.entries()) if (keep(config)) kept.set(key, config);
  if (kept.size === view.size) return view;
  const { name } = view;
  return {
    name,
    size: kept.size,
    get: (key) => kept.get(key),
    entries: () => kept.entries(),
    values: () => kept.values(),
  };
}
