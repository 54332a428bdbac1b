import { readVersion } from "../../app/process/version.ts";
import { type Command, ExitCode } from "../command.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";

export const command: Command = {
  usage: "[flags]",
  flags: [outputFlag(notations)],
  examples: ["version", "version -o json"],
  async run(args, { print }) {
    const notation = readFlags(args, command.flags, noPositionals).choice("output", notations);
    const facts = { name: "binnacle", version: readVersion() };
    print(notation === "text" ? `${facts.name} ${facts.version}` : inNotation(facts, notation));
    return ExitCode.ok;
  },
};
