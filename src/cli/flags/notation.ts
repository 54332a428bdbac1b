import { stringify } from "yaml";
import type { DocumentedFlag } from "../command.ts";

/** How a command prints its data: for people, or as either notation for programs. */
export type Notation = "text" | "json" | "yaml";

/** `-o`, with the first notation as the default. */
export function outputFlag(notations: readonly Notation[]): DocumentedFlag {
  const [first = ""] = notations;
  const placeholder = notations.join("|");
  return { name: "output", short: "o", type: "value", placeholder, doc: "the notation", default: first };
}

export function inNotation(value: unknown, notation: "json" | "yaml"): string {
  if (notation === "json") return JSON.stringify(value, undefined, 2);
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}
