import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { serverFlag } from "../flags/asked-server.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { type SourceStatus, sourcesText } from "../mesh/sources-text.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "the --http address of the server" },
  outputFlag(notations),
];

export const command: Command = {
  usage: "[flags]",
  flags,
  examples: ["sources", "sources --server 127.0.0.1:8080 -o json"],
  problem: "a source is stale, or has not told all it has",
  async run(args, { print }) {
    const given = readFlags(args, flags, { expected: "nothing else", atLeast: 0, atMost: 0 });
    const notation = given.choice("output", notations);
    // Our own page, which says what it is of.
    const all = (await fetchPage(given.value("server"), "/debug/sources")) as readonly SourceStatus[];
    print(notation === "text" ? sourcesText(all, Date.now()) : inNotation(all, notation));
    return all.every(({ state }) => state === "synced") ? ExitCode.ok : ExitCode.problem;
  },
};
