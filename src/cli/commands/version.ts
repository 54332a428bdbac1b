import { readVersion } from "../../app/version.ts";
import { type Command, ExitCode } from "../command.ts";
import { readFlags } from "../read-flags.ts";

export const version: Command = {
  name: "version",
  usage: "",
  summary: "Prints the version.",
  flags: [],
  examples: ["version"],
  async run(args, { print }) {
    readFlags(args, version.flags);
    print(`binnacle ${readVersion()}`);
    return ExitCode.ok;
  },
};
