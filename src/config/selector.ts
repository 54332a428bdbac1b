import type { Labels } from "./config.ts";

/** True when the labels hold everything the selector asks for; an empty selector asks for nothing. */
export function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
