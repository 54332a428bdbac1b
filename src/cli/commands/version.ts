import { type Build, readBuild } from "../../app/process/version.ts";
import { type Command, ExitCode, type Terminal } from "../command.ts";
import { valueFlag } from "../flags/flag.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";

export const command: Command = {
  usage: "[flags]",
  flags: [
    valueFlag("server", "ADDR", "Also shows the version of a running server, at its --http address."),
    outputFlag(notations),
  ],
  examples: ["version", "version -o json", "version --server http://127.0.0.1:8080"],
  problem: "the server is unreachable",
  async run(args, terminal) {
    const given = readFlags(args, command.flags, noPositionals);
    const notation = given.choice("output", notations);
    const own = readBuild();
    const server = given.has("server") ? await buildOf(given.value("server"), terminal) : undefined;
    if (notation !== "text") terminal.printData(inNotation(server === undefined ? own : { ...own, server }, notation));
    else terminal.print([buildText(own), ...(server === undefined ? [] : [`server: ${buildText(server)}`])].join("\n"));
    return ExitCode.ok;
  },
};

async function buildOf(server: string, terminal: Terminal): Promise<Partial<Build>> {
  // Our own page, which names its format.
  return (await withServerProgress(server, terminal, () => fetchPage(server, "/version"))) as Partial<Build>;
}

/** `binnacle 0.2.0 (bf785624)`; servers of old do not know their commit. */
function buildText({ name, version, commit = "unknown" }: Partial<Build>): string {
  return `${name} ${version}${commit === "unknown" ? "" : ` (${commit.slice(0, 12)})`}`;
}
