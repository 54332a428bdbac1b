import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { type SourceStatus, sourcesTable, sourcesText } from "../mesh/sources-text.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of the server." },
  watchFlag,
  outputFlag(tableForms),
];

export const command: Command = {
  usage: "[flags]",
  flags,
  examples: ["sources", "sources --watch", "sources -o wide", "sources --server 127.0.0.1:8080 -o json"],
  problem: "a source is stale, or has not synced yet",
  async run(args, terminal) {
    const given = readFlags(args, flags, noPositionals);
    const form = given.choice("output", tableForms);
    const server = given.value("server");
    // Our own page, which names its format.
    const read = async () => (await fetchPage(server, "/debug/sources")) as readonly SourceStatus[];
    if (given.has("watch")) {
      const printer = new ChangePrinter(form, terminal);
      const show = (all: readonly SourceStatus[]) => printer.show(sourcesTable(all, form, Date.now()));
      return await watch({ from: `--server ${server}`, read, show, exitCode: exitCodeOf }, terminal);
    }
    const all = await withServerProgress(server, terminal, read);
    if (isText(form)) terminal.print(sourcesText(all, form, Date.now()));
    else terminal.printData(inNotation(all, form));
    return exitCodeOf(all);
  },
};

function exitCodeOf(sources: readonly SourceStatus[]): ExitCode {
  return sources.every(({ state }) => state === "synced") ? ExitCode.ok : ExitCode.problem;
}
