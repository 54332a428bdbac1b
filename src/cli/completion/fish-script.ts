import type { DocumentedFlag } from "../command.ts";
import { type CompletedCommand, choicesOf, firstSentence } from "./completed-command.ts";

/** For `binnacle completion fish | source`. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return ["# fish completion for binnacle: binnacle completion fish | source", ...commands.flatMap(linesOf)].join("\n");
}

function linesOf({ names, summary, flags, words }: CompletedCommand): readonly string[] {
  const within = `-n ${quoted(`__fish_seen_subcommand_from ${names.join(" ")}`)}`;
  return [
    ...names.map((name) => `complete -c binnacle -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`),
    ...(words.length === 0 ? [] : [`complete -c binnacle ${within} -a ${quoted(words.join(" "))}`]),
    ...flags.map((flag) => `complete -c binnacle ${within} ${flagText(flag)}`),
  ];
}

function flagText(flag: DocumentedFlag): string {
  const { name, short, type, doc } = flag;
  const choices = choicesOf(flag);
  const value = type === "switch" ? "" : choices.length === 0 ? " -r" : ` -x -a ${quoted(choices.join(" "))}`;
  return `-l ${name}${short === undefined ? "" : ` -s ${short}`}${value} -d ${quoted(firstSentence(doc))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/gu, (character) => `\\${character}`)}'`;
}
