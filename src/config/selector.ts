import type { Labels } from "./config.ts";

/** True if the labels include every label of the selector. An empty selector matches all. */
export function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
