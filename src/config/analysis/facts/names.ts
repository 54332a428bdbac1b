import { compareTexts } from "../../../lib/compare.ts";
import { largest } from "../../../lib/extremes.ts";
import { type Config, configKey } from "../../config.ts";

/** Nobody reads more in a sentence. */
const maxListed = 20;

/** More objects than this are not compared one by one. */
const maxCompared = 50;

type Named = Pick<Config, "namespace" | "name">;

/** `bar/ratings, foo/ratings`: objects for a sentence, each once, in order. */
export function listed(configs: Iterable<Named>): string {
  return listedTexts([...new Set(Array.from(configs, configKey))].toSorted(compareTexts));
}

/** The first texts of a list for a sentence, and how many there are beside them of all in `total`. */
export function listedTexts(texts: readonly (string | number)[], total = texts.length): string {
  const more = total > maxListed ? [`and ${total - maxListed} more`] : [];
  return [...texts.slice(0, maxListed), ...more].join(", ");
}

/**
 * The objects of several groups for a sentence, each once. Every group is in the order of its names. Of large groups
 * only the first names are read, so that a sentence for each member of a group costs the same however large it is.
 */
export function listedGroups(groups: readonly (readonly Named[])[]): string {
  const sizes = groups.map((group) => group.length);
  if (sizes.reduce((sum, size) => sum + size, 0) <= maxCompared) return listed(groups.flat());
  const first = listed(groups.flatMap((group) => group.slice(0, maxListed))).split(", ");
  const more = largest(sizes) - maxListed;
  const names = first.slice(0, maxListed).join(", ");
  if (more <= 0) return `${names}, and more`;
  return `${names}, and ${groups.length > 1 ? "at least " : ""}${more} more`;
}
