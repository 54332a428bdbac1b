import { compareTexts } from "../../../lib/compare.ts";
import type { Labels } from "../../config.ts";

/** `app=reviews,version=v1`, as people write selectors. */
export function selectorText(selector: Labels): string {
  return Object.entries(selector)
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
