import { compareTexts } from "../../../lib/compare.ts";
import { type Config, configKey } from "../../config.ts";

/** Nobody reads more in a sentence. */
const maxListed = 20;

/** `bar/ratings, foo/ratings`: objects for a sentence, each once, in order. */
export function listed(configs: Iterable<Pick<Config, "namespace" | "name">>): string {
  const names = [...new Set(Array.from(configs, configKey))].toSorted(compareTexts);
  const more = names.length > maxListed ? [`and ${names.length - maxListed} more`] : [];
  return [...names.slice(0, maxListed), ...more].join(", ");
}
