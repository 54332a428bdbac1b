import { toYaml } from "../../config/yaml/to-yaml.ts";
import type { DocumentedFlag } from "../command.ts";
import { valueFlag } from "./flag.ts";

/** How a command prints its data: for people, or as either notation for programs. */
export const notations = ["text", "json", "yaml"] as const;
export type Notation = (typeof notations)[number];

/** How a command prints its tables. `wide` has more columns. */
export const tableForms = ["text", "wide", "json", "yaml"] as const;
export type TableForm = (typeof tableForms)[number];

export function isText(form: string): form is "text" | "wide" {
  return form === "text" || form === "wide";
}

/** `-o`, with the first notation as the default. */
export function outputFlag(choices: readonly string[]): DocumentedFlag {
  return { ...valueFlag("output", choices.join("|"), "Output format.", choices[0]), short: "o" };
}

export function inNotation(value: unknown, notation: "json" | "yaml"): string {
  return notation === "json" ? JSON.stringify(value, undefined, 2) : toYaml(value);
}
