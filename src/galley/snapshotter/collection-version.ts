import type { View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { hashText } from "../../lib/hash.ts";

/** Views are immutable, so a version once computed holds for ever; most are never asked for. */
const versions = new WeakMap<View<Config>, string>();

/** A hash of what the collection holds: independent of order and origin, equal across restarts and replicas. */
export function collectionVersion(view: View<Config>): string {
  const known = versions.get(view);
  if (known !== undefined) return known;
  const lines = Array.from(view.entries(), ([key, config]) => JSON.stringify([key, config.version]));
  const version = hashText(lines.toSorted().join("\n"));
  versions.set(view, version);
  return version;
}
