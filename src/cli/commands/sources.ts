import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { type SourceStatus, sourcesText } from "../mesh/sources-text.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of the server." },
  outputFlag(notations),
];

export const command: Command = {
  usage: "[flags]",
  flags,
  examples: ["sources", "sources --server 127.0.0.1:8080 -o json"],
  problem: "a source is stale, or has not synced yet",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "nothing else", atLeast: 0, atMost: 0 });
    const notation = given.choice("output", notations);
    const server = given.value("server");
    const page = await withServerProgress(server, terminal, () => fetchPage(server, "/debug/sources"));
    // Our own page, which names its format.
    const all = page as readonly SourceStatus[];
    if (notation === "text") terminal.print(sourcesText(all, Date.now()));
    else terminal.printData(inNotation(all, notation));
    return all.every(({ state }) => state === "synced") ? ExitCode.ok : ExitCode.problem;
  },
};
