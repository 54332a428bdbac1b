import { compareTexts } from "../../../lib/compare.ts";
import { type Config, configKey } from "../../config.ts";

/** `bar/ratings, foo/ratings`: objects for a sentence, each once, in order. */
export function listed(configs: Iterable<Pick<Config, "namespace" | "name">>): string {
  return [...new Set(Array.from(configs, configKey))].toSorted(compareTexts).join(", ");
}
