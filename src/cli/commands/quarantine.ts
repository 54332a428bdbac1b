import type { QuarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { quarantineCommands } from "../../admin/pilot/quarantine-page.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { quarantineTable, quarantineText } from "../quarantine/quarantine-text.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [
  serverFlag,
  { ...watchFlag, doc: `${watchFlag.doc} Only with list.` },
  outputFlag(tableForms),
];
const words = ["list", ...quarantineCommands];
const expected = "list, retry, retry OBJECT or release OBJECT";

export const command: Command = {
  usage: "list|retry [OBJECT]|release OBJECT [flags]",
  flags,
  words,
  examples: [
    "quarantine list",
    "quarantine list -o wide",
    "quarantine list --watch",
    "quarantine list --server 127.0.0.1:8080 -o json",
    "quarantine retry",
    "quarantine retry EnvoyFilter/istio-system/lua",
    "quarantine release VirtualService/shop/reviews",
  ],
  problem: "list: an object is in quarantine; retry, release: the server refuses the command",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 2 });
    const [word = "", object] = given.positionals;
    const body = bodyOf(word, object);
    const form = given.choice("output", tableForms);
    const server = given.value("server");
    // Our own page, which names its format.
    const ask = async () => (await fetchPage(server, "/debug/quarantine", { body })) as QuarantinePage;
    if (given.has("watch")) {
      if (word !== "list") throw new MeshError("bad-option", `--watch: only with list, not with ${word}`);
      const printer = new ChangePrinter(form, terminal);
      const show = ({ objects }: QuarantinePage) => printer.show(quarantineTable(objects, form));
      return await watch({ from: `--server ${server}`, read: ask, show, exitCode: exitCodeOf }, terminal);
    }
    const page = await withServerProgress(server, terminal, ask);
    if (isText(form)) terminal.print(quarantineText(page, form));
    else terminal.printData(inNotation(page, form));
    return word === "list" ? exitCodeOf(page) : ExitCode.ok;
  },
};

function exitCodeOf({ objects }: QuarantinePage): ExitCode {
  return objects.length > 0 ? ExitCode.problem : ExitCode.ok;
}

/** The form that the page gets; undefined to read it. Throws `bad-option`. */
function bodyOf(word: string, object: string | undefined): string | undefined {
  if (!words.includes(word)) throw new MeshError("bad-option", `${word}: expected ${expected}`);
  if (word === "list" && object !== undefined) throw new MeshError("bad-option", `list takes no OBJECT: ${object}`);
  if (word === "release" && object === undefined) throw new MeshError("bad-option", "release: which OBJECT?");
  if (word === "list") return undefined;
  return new URLSearchParams({ command: word, ...(object !== undefined && { object }) }).toString();
}
