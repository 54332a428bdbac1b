import type { View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { memoize } from "../../lib/memo.ts";
import type { McpCollection } from "../collections.ts";
import type { CollectionViews } from "../encoded-sets.ts";
import { syntheticName } from "./config-form.ts";
import { isForRevision } from "./revision.ts";

const writtenEntries = "istio/networking/v1alpha3/serviceentries";

/**
 * The objects that clients of one revision see: those of the revision and those without one (XS-11). An entry made of a
 * service is hidden if a user-written entry has its name.
 */
export class VisibleViews implements CollectionViews {
  readonly #all: CollectionViews;
  readonly #revision: string | undefined;

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
    return visibleIn([view, written], { revision: this.#revision });
  }
}

const visibleIn = memoize(
  (
    [view, written]: readonly [View<Config>, View<Config> | undefined],
    { revision }: { readonly revision: string | undefined },
  ): View<Config> =>
    keeping(
      view,
      (config) =>
        isForRevision(config.labels, revision) &&
        (written === undefined || written.get(syntheticName(config)) === undefined),
    ),
);

/**
 * The view without the excluded objects. Returns the view itself if none is excluded, because views of one lineage are
 * cheap to compare.
 */
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
