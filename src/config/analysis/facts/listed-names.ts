import { compareTexts } from "../../../lib/compare.ts";
import { largest } from "../../../lib/extremes.ts";
import { type Config, configKey } from "../../config.ts";

/** Largest number of names in a sentence. */
const maxListed = 20;

/** Largest number of objects that are compared one by one. */
const maxCompared = 50;

type Named = Pick<Config, "namespace" | "name">;

/** `bar/ratings, foo/ratings`: objects for a sentence, each once, in order. */
export function listed(configs: Iterable<Named>): string {
  return listedTexts([...new Set(Array.from(configs, configKey))].toSorted(compareTexts));
}

/** The first texts of a list for a sentence, and the number of the others out of `total`. */
export function listedTexts(texts: readonly (string | number)[], total = texts.length): string {
  const more = total > maxListed ? [`and ${total - maxListed} more`] : [];
  return [...texts.slice(0, maxListed), ...more].join(", ");
}

/**
 * The objects of several groups for a sentence, each once. Every group is sorted by name. Only the first names of large
 * groups are read. So the cost of a sentence does not grow with the size of the group.
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
