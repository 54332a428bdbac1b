import type { Command, DocumentedFlag, ListedCommand } from "../command.ts";
import { commands } from "../commands.ts";
import { helpFlag } from "../help.ts";

/** A command as shells complete it. */
export interface CompletedCommand {
  /** With its alias, if it has one. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly flags: readonly DocumentedFlag[];
  readonly words: readonly string[];
}

/** All of them, from the tables that `--help` is made from. */
export async function completedCommands(): Promise<readonly CompletedCommand[]> {
  return await Promise.all(commands.map(async (listed) => completed(listed, (await listed.load()).command)));
}

function completed({ name, alias, summary }: ListedCommand, { flags, words = [] }: Command): CompletedCommand {
  const names = alias === undefined ? [name] : [name, alias];
  return { names, summary: firstSentence(summary), flags: [...flags, helpFlag], words };
}

/** The values of a flag with a few choices, from its placeholder: `text|json|yaml`. */
export function choicesOf({ placeholder }: DocumentedFlag): readonly string[] {
  return placeholder.includes("|") ? placeholder.split("|") : [];
}

/** Shells show one line. */
export function firstSentence(text: string): string {
  return text.split(/[.:;](?:\s|$)/u)[0] ?? text;
}
